"""RxNorm and RxClass: what a drug name stands for, and the classes an ingredient belongs to."""
