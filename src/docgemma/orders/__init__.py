"""The write protocol: drafts, checks, cards, the ledger, receipts. A chart entry happens here or not at all."""
