"""The public names with their types. `__init__.py` resolves them when they are first used."""

from assay.errors import UserError as UserError
from assay.evaluators.decision import Decision as Decision
from assay.evaluators.evaluation import evaluate as evaluate
from assay.evaluators.metric import CaseResult as CaseResult
from assay.evaluators.metric import EvalMetric as EvalMetric
from assay.evaluators.metric import EvalSummary as EvalSummary
from assay.evaluators.registry import get_evaluator as get_evaluator
from assay.evaluators.registry import list_evaluators as list_evaluators
from assay.evaluators.repeated import RepeatedSummary as RepeatedSummary
from assay.evaluators.repeated import evaluate_repeated as evaluate_repeated
from assay.gate import judge as judge
from assay.metrics.similarity import similarity as similarity
from assay.model.baseline import Baseline as Baseline
from assay.model.gold import GoldCase as GoldCase
from assay.model.report import Report as Report
from assay.model.run import RunOutcome as RunOutcome
from assay.model.run import RunRequest as RunRequest
from assay.model.suite import Suite as Suite
from assay.model.verdict import Check as Check
from assay.model.verdict import Metric as Metric
from assay.stores.goldsets import open_suite as open_suite
