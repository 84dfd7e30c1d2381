"""The positions of the bench: openings to endings, from games of the engine against itself after random openings."""

POSITIONS = (
    "1nbakab1r/r8/4c1n1c/p3p1p1p/2p6/9/P1P1P1P1P/4C1NCR/3R5/1NBAKAB2 w - - 10 6",
    "1rbaka1r1/9/2n1b1n2/p1p1p1pcp/9/7R1/P1P1P1P1P/2N1C3N/9/R1BAKAB2 w - - 4 8",
    "2b1kabr1/r3a4/2n1c1n2/p1N1p1p1p/9/1CP4C1/P3P1c1P/6N2/3R5/2BAKAB1R w - - 5 10",
    "2b1ka3/4ar3/rcc1b4/p1p1C3p/6pn1/9/P1P1P1P1P/2N1B1N2/9/1R1AKAB1R w - - 3 11",
    "2bak1b2/4a4/2n1c1n1c/p1p1p1p1p/9/2r6/P3P1PrP/1CNRC1N2/5R3/2BAKAB2 w - - 2 12",
    "1r1ak1b2/1C2a4/1Rn1b1n2/2C1p3p/p5p2/4P4/P1P3crP/2N1B1Nc1/9/2BAKA1R1 w - - 10 13",
    "2bakab2/r8/3c3r1/p7p/4p4/6C2/P1p1P1P1P/2N1B1Nc1/8R/1R1AKA3 w - - 1 14",
    "2baka1n1/r6C1/2n1b4/p1pNp1p1p/6c2/2P6/PC2P1c1P/5rN1B/3R5/2BAKA2R w - - 22 15",
    "4ka1R1/4a4/1Rn2r3/p1Ccp1p1p/6b2/9/P1P1P3r/B8/3NA4/4KA3 w - - 4 16",
    "2bakar2/9/2c1b4/p1pRp3p/9/6P2/P1P5P/Nr6N/9/2BAKAR2 w - - 7 17",
    "2bakn3/9/5a2r/2pcp3p/P5P2/2P6/2n1P2cP/2N1BC1C1/4A4/2BAK1R2 w - - 2 18",
    "2bakab2/4n4/5r1Cc/p2rp1p1p/1n7/1NR6/2c1P3P/4B1N1C/4A4/2BAK3R w - - 8 19",
    "4kab2/2R1ar3/2n1b4/p1p1n1c1p/4p1p2/2P6/P3P1P1P/2C1B4/1C2AN3/4KAB2 w - - 1 20",
    "4kab2/4a3r/4b1cn1/4p4/4c1p1p/8r/P1P6/2N2RN1C/5R3/2BAKAB2 w - - 2 21",
    "4kab2/4a4/4b1n2/1C2p3p/p1P6/3R4P/n3P1r2/9/4N4/2BAKAB2 w - - 2 23",
    "4kabn1/4a1cC1/bn7/5r1Rp/2p3p2/4R4/P1P1P1P1P/4B4/1C2Ar3/4KAB2 w - - 12 25",
    "R1b1k4/4a4/3ab2C1/4p3c/p5r1p/4P1N2/n1P5n/N3B4/4A4/2B1KA3 w - - 0 28",
    "4kab2/4a4/5n3/8p/p1b6/1N1n1NB2/P3P3P/5A3/4A4/4K1B2 w - - 8 31",
    "3a1kb2/4a4/9/9/R2n1r2p/3NP4/P1P3P1P/7c1/4A4/2BAK1B2 w - - 1 36",
    "3a1kb2/4a4/3cb4/7r1/P4r2p/2RRpN3/8P/4B4/4A4/2B1KA3 w - - 10 43",
)
