"""What is in each demonstration chart, by the patient's id."""

from __future__ import annotations

from collections.abc import Callable

from docgemma.ehr.demo.charts import family, heart, lungs, metabolic, monitored, varied
from docgemma.ehr.demo.writing import Chart

CHARTS: dict[str, Callable[[Chart], None]] = {
    "abc-123": metabolic.diabetes,
    "def-456": metabolic.kidneys,
    "ghi-789": family.pregnancy,
    "jkl-012": heart.anticoagulation,
    "mno-345": lungs.asthma,
    "pqr-678": heart.polypharmacy,
    "stu-901": varied.trial,
    "vwx-234": metabolic.thyroid,
    "yza-567": monitored.heart_failure,
    "bcd-890": family.child,
    "cde-321": varied.hostile,
    "efg-654": metabolic.gout,
    "fgh-987": varied.allergy_states,
    "hij-246": varied.sickle_cell,
    "klm-135": lungs.died,
    "nop-864": varied.statement_replaced,
}
