"""Who may do what here: users, their passwords, sign-ins and tokens."""
