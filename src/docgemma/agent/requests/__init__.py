"""What a message asks for: people, drugs and topics in it become the look-ups and entries it needs."""
