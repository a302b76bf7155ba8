"""The people of a small clinic, and who is meant by what is said: the same on every server."""

from __future__ import annotations

from tests.support.registers import patient

PEOPLE = [
    patient("mg1", "Maria", "Garcia", "1962-04-17", mrn="MRN-1001", gender="female"),
    patient("mg2", "María Elena", "García", "1988-11-02", mrn="MRN-1002", gender="female"),
    patient("mgl", "Maria", "García López", "1990-01-01", mrn="MRN-1003"),
    patient("jsj", "John", "Smith", "1980-03-04", suffix="Jr.", mrn="MRN-2001"),
    patient("jss", "John", "Smith", "1951-03-04", suffix="Sr.", mrn="MRN-2002"),
    patient("ws", "William", "Smith", "1970-01-01"),
    patient("tw1", "Asha", "Rao", "1999-09-09", mrn="3001"),
    patient("tw2", "Asha", "Rao", "1999-09-09", mrn="3002"),
    patient("ngu", "Thị Mai", "Nguyễn", "1975-05-05"),
    patient("coh", "Cary", "O'Hara", "1944-02-02"),
    patient("mcd", "Ian", "McDonald", "1966-06-06"),
    patient("mul", "Jürgen", "Müller", "1959-12-24"),
    patient("mrt", "Márta", "Kovács", "1983-07-07"),
    patient("nun", "Inés", "Núñez", "2001-10-10"),
    patient("wed", "Priya", "Menon", "1985-08-08", other_names=[{"use": "maiden", "text": "Priya Nair"}]),
    patient("nod", "Tom", "Baker"),
    patient("yer", "Ada", "Byron", "1980"),
]

FOUND = [
    ("Maria Garcia", ["mg1", "mg2"]),
    ("garcia, maria", ["mg1", "mg2"]),
    ("Mrs. MARÍA GARCÍA", ["mg1", "mg2"]),
    ("Maria Elena Garcia", ["mg2"]),
    ("Maria Garcia Lopez", ["mgl"]),
    ("John Smith", ["jsj", "jss"]),
    ("John Smith Jr", ["jsj"]),
    ("Asha Rao", ["tw1", "tw2"]),
    ("Nguyen Thi Mai", ["ngu"]),
    ("Cary O'Hara", ["coh"]),
    ("cary o hara", ["coh"]),
    ("Cary OHara", ["coh"]),
    ("Ian Mc Donald", ["mcd"]),
    ("Marta Kovacs", ["mrt"]),
    ("Kovács Márta", ["mrt"]),
    ("Ines Nunez", ["nun"]),
    ("Jurgen Muller", ["mul"]),
]
