"""The routes, one router a file. `server.app` says who may use which."""
