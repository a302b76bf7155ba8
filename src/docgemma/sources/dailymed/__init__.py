"""DailyMed: the same labels at the National Library of Medicine, as SPL documents."""
