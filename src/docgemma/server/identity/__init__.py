"""Who sends a request, whether a page of ours sent it, and what every answer carries."""
