"""The tools: started, asked what they offer, several at a time."""
