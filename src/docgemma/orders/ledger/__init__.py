"""The ledger: what was proposed, who decided, who is writing it now, what came of it. One row an order."""
