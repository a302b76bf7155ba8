"""Who a message is about: names, ids, birth dates, and the pick among several."""
