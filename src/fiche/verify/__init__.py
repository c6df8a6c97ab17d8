"""What a report holds, taken out of it again and set beside itself: digests, attachments, the printed text."""
