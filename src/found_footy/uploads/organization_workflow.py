"""OrganizationWorkflow: classifies one version of one image: load, classify, persist."""

from dataclasses import replace
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from found_footy.domain.messages import images_queue_name
    from found_footy.domain.uploads import FailureKind
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal.client import describe_root_cause, is_cancellation
    from found_footy.platform.temporal.steps import run_step
    from found_footy.uploads.messages import (
        CLASSIFY_SIGNAL,
        ORGANIZATION_WORKFLOW,
        PROGRESS_QUERY,
        ClassificationFailure,
        ClassificationProgress,
        ClassifyImage,
        ClassifyUpload,
        PersistOutcome,
        PersistResult,
        UploadVersion,
        WorkflowStep,
    )
    from found_footy.uploads.steps import UploadSteps

# The decoded image may be missing, and the object may be replaced back and forth; more often than this is a fault.
MAX_ROUNDS = 5
ROUND_DELAY = timedelta(seconds=1)
SYSTEM_FAILURE = "The image could not be classified because a service of ours failed. It is tried again later."

logger = ActionLogger(__name__)


@workflow.defn(name=ORGANIZATION_WORKFLOW)
class OrganizationWorkflow:
    def __init__(self) -> None:
        self._progress = ClassificationProgress("running", WorkflowStep.LOAD, "waits for a worker")
        self._requests: dict[str, None] = {}
        self._served: set[str] = set()

    @workflow.signal(name=CLASSIFY_SIGNAL)
    def classify(self, request_id: str) -> None:
        """Another request for the same version: a retry, or the version is stored again after another one. The request
        that the run was started for, and repetitions, change nothing.
        """
        self._requests[request_id] = None

    @workflow.query(name=PROGRESS_QUERY)
    def progress(self) -> ClassificationProgress:
        return self._progress

    @workflow.run
    async def run(self, start: ClassifyUpload) -> PersistOutcome:
        """Nothing is awaited between the last look at the requests and the end, and the server refuses an end that has
        not seen an accepted signal. So no request is lost.
        """
        self._queues = start.queues
        request_id = start.version.request_id
        while True:
            self._served.add(request_id)
            outcome = await self._serve(replace(start.version, request_id=request_id))
            unserved = [request for request in self._requests if request not in self._served]
            if not unserved:
                return outcome
            request_id = unserved[0]

    async def _serve(self, version: UploadVersion) -> PersistOutcome:
        """Classify the version for one request. A round that leaves the row waiting is followed by another."""
        for _ in range(MAX_ROUNDS):
            result = await self._classify(version)
            if result is not None:
                self._show(WorkflowStep.PERSIST, "stores the result")
                outcome = await run_step(UploadSteps.persist_result, result)
                if outcome is not PersistOutcome.WAITING:
                    self._show_outcome(outcome, result)
                    return outcome
            await workflow.sleep(ROUND_DELAY)
        failure = ClassificationFailure(SYSTEM_FAILURE, FailureKind.SYSTEM)
        return await run_step(UploadSteps.persist_result, PersistResult(version, failure=failure))

    async def _classify(self, version: UploadVersion) -> PersistResult | None:
        """None if the decoded image is gone and must be loaded again."""
        images = images_queue_name(self._queues.media)
        try:
            self._show(WorkflowStep.LOAD, "loads the image")
            image = await run_step(UploadSteps.load_image, version, task_queue=images)
            if image.superseded:
                return PersistResult(version, image)
            if image.refusal:
                return PersistResult(version, image, failure=ClassificationFailure(image.refusal, FailureKind.IMAGE))
            self._show(WorkflowStep.CLASSIFY, "classifies the image")
            found = await run_step(
                UploadSteps.classify_image, ClassifyImage(version, image.prepared_key), task_queue=images
            )
        except ActivityError as error:
            if is_cancellation(error):
                raise
            logger.error(  # noqa: TRY400  the cause says it all
                "%s is not classified: %s",
                version.key,
                describe_root_cause(error),
                action="upload_not_classified",
                event_id=version.event_id,
            )
            return PersistResult(version, failure=ClassificationFailure(SYSTEM_FAILURE, FailureKind.SYSTEM))
        if found.missing:
            return None
        if found.refusal:
            return PersistResult(version, image, failure=ClassificationFailure(found.refusal, FailureKind.IMAGE))
        return PersistResult(version, image, found.labels, found.model_name, found.model_sha256)

    def _show(self, step: WorkflowStep, message: str) -> None:
        self._progress = ClassificationProgress("running", step, message)

    def _show_outcome(self, outcome: PersistOutcome, result: PersistResult) -> None:
        messages = {
            PersistOutcome.CLASSIFIED: result.labels[0].label if result.labels else "",
            PersistOutcome.FAILED: result.failure.error if result.failure else "",
        }
        status = "superseded" if outcome is PersistOutcome.STALE else outcome.value
        message = messages.get(outcome, "a newer version of the image is shown")
        self._progress = ClassificationProgress(status, WorkflowStep.PERSIST, message)
