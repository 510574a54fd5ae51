import type { z } from 'zod'
import { AliasGate, GateArm, GateSegment, GateShadow, GuardCheck } from './alias-gate.ts'
import { Alias, AliasEvent, AliasEventKind, AliasSettings, GateGuard, GateState, PutAlias } from './aliases.ts'
import {
  Calibration,
  CalibrationEstimate,
  CalibrationRow,
  CriterionVerdict,
  GradingPlan,
  LabelFilter,
  RunStatus,
  StartCalibration,
} from './calibrations.ts'
import { Cascade, CascadeCalibration, CascadeMember, CascadeScan, CreateCascade } from './cascades.ts'
import { ChatReply, ChatRequest, Usage } from './chat.ts'
import { ChatMessage } from './chat-message.ts'
import { checkSchemas } from './check-schema-names.ts'
import { CreateCriterion, Criterion, RateInterval, RightToAct, Trust, UpdateCriterion, Verdict } from './criteria.ts'
import { CurationFilters } from './curation-filters.ts'
import { DistillDataset } from './dataset-distill.ts'
import { UploadFormat } from './dataset-format.ts'
import { CurateFromEvals, PairCuration, PairCurationSummary } from './dataset-from-evals.ts'
import { DatasetProgress, DatasetStatus } from './dataset-progress.ts'
import {
  CreateDataset,
  CurateFromLogs,
  CurationSummary,
  Dataset,
  DatasetCuration,
  DatasetExample,
  Redaction,
} from './datasets.ts'
import { EmbeddingsReply, EmbeddingsRequest } from './embeddings.ts'
import {
  CreateEnvironmentTool,
  TestToolArguments,
  ToolFromTraces,
  UpdateEnvironmentTool,
} from './environment-tools-body.ts'
import { ErrorEnvelope, FlatError } from './errors.ts'
import { EvalEvidence, EvidenceProblem } from './eval-evidence.ts'
import { EvalGate, GateCheck } from './eval-gate.ts'
import { EvalPanel } from './eval-panel.ts'
import { EvalEstimate, EvalPlan, ExpectedResult, PlanEval } from './eval-plan.ts'
import { CandidateCalibration, EvalComparison, EvalPreference, Preferred } from './eval-preferences.ts'
import { EvalDifference, EvalInterim, EvalQuestion, EvalVerdict } from './eval-question.ts'
import { AssertionResult, BaselineReport, CandidateReport, EvalReport } from './eval-report.ts'
import { EvalSegments } from './eval-segments.ts'
import {
  ArgumentsMatch,
  CreateEval,
  Eval,
  EvalAnswer,
  EvalAssertion,
  EvalFilters,
  EvalOrder,
  EvalOutcome,
  EvalSample,
  EvalStatus,
  JudgingMode,
  NoToolCall,
  RubricType,
  ToolCalled,
} from './evals.ts'
import { FailureCause } from './failure-causes.ts'
import { FamilyRule, FamilyRules } from './family-rules.ts'
import { Feedback, FeedbackRating, GiveFeedback } from './feedback.ts'
import { FileObject, FilePurpose } from './files.ts'
import { GatePlan } from './gate-plan.ts'
import {
  GrpoEstimate,
  GrpoJudge,
  GrpoPause,
  GrpoRun,
  GrpoRunList,
  GrpoRunReward,
  GrpoStatus,
  GuardVerdict,
} from './grpo.ts'
import { GrpoAudit, GrpoGuard, GrpoLook, GrpoRolloutView, GrpoStep, GrpoVerdict, StepAlarm } from './grpo-progress.ts'
import { GrpoRewardTest } from './grpo-reward-test.ts'
import { SampleFilters } from './internal-logs.ts'
import { Interval } from './interval.ts'
import {
  ImproveCriterion,
  Improvement,
  Metrics,
  NoImprovementReason,
  SuggestCriteria,
  Suggestions,
} from './judge-assist.ts'
import {
  GradedList,
  GradeItem,
  GradeItems,
  ImportedGrade,
  Label,
  LabelImportSummary,
  LabelSampling,
  RolloutGrade,
} from './labels.ts'
import { Leakage } from './leakage.ts'
import { ImportedLog, ImportedMessage, ImportLogs, LogImport } from './log-import.ts'
import { ListedLog, LogEntry, LogEntryWithFeedback, LogRow } from './logs.ts'
import { mediaSchemas } from './media-schema-names.ts'
import { MessagesError, MessagesReply, MessagesRequest } from './messages.ts'
import { Model } from './models.ts'
import { TraceExport, TraceExportReply } from './otlp.ts'
import { RerankReply, RerankRequest } from './rerank.ts'
import { ResponseInputItem, ResponseObject, ResponsesRequest } from './responses.ts'
import { GradeCandidate, GradingForecast, Scan, ScanEstimate, StartScan, VerdictRow } from './scans.ts'
import { Segment } from './segments.ts'
import { SetupStatus, StepTakes } from './setup-status.ts'
import { Trace, TraceSpan } from './traces.ts'
import { TrainingExample } from './training-example.ts'
import { trainingSchemas } from './training-schema-names.ts'
import { Webhook, WebhookDelivery, WebhookEventType, WebhookMessageType } from './webhooks.ts'

/** The schemas of the OpenAPI document that have a name. A body or a reply without one is named after its operation. */
export const schemaNames: ReadonlyMap<z.ZodType, string> = new Map(
  Object.entries({
    ...trainingSchemas,
    ...mediaSchemas,
    ...checkSchemas,
    Error: ErrorEnvelope,
    FlatError,
    Alias,
    AliasEvent,
    AliasEventKind,
    AliasGate,
    AliasSettings,
    ArgumentsMatch,
    AssertionResult,
    BaselineReport,
    Calibration,
    CalibrationEstimate,
    CalibrationRow,
    CandidateCalibration,
    CandidateReport,
    Cascade,
    CascadeCalibration,
    CascadeMember,
    CascadeScan,
    ChatMessage,
    ChatReply,
    ChatRequest,
    CreateCascade,
    CreateCriterion,
    CreateDataset,
    CreateEval,
    Criterion,
    CriterionVerdict,
    CurateFromLogs,
    CurationFilters,
    CurationSummary,
    Dataset,
    DatasetCuration,
    CurateFromEvals,
    PairCuration,
    PairCurationSummary,
    DatasetExample,
    DatasetProgress,
    DatasetStatus,
    DistillDataset,
    EmbeddingsReply,
    EmbeddingsRequest,
    Eval,
    EvalAnswer,
    EvalAssertion,
    EvalDifference,
    EvalEstimate,
    EvalFilters,
    EvalGate,
    EvalComparison,
    EvalEvidence,
    EvidenceProblem,
    EvalInterim,
    EvalOrder,
    EvalOutcome,
    EvalPanel,
    EvalPlan,
    EvalPreference,
    EvalQuestion,
    EvalReport,
    EvalSample,
    EvalSegments,
    EvalStatus,
    EvalVerdict,
    ExpectedResult,
    FailureCause,
    FamilyRule,
    FamilyRules,
    CreateEnvironmentTool,
    ToolFromTraces,
    TestToolArguments,
    UpdateEnvironmentTool,
    FileObject,
    FilePurpose,
    GateArm,
    GateCheck,
    GateGuard,
    GatePlan,
    GateSegment,
    GateShadow,
    GateState,
    GradeCandidate,
    GradeItem,
    GradeItems,
    GradedList,
    GradingForecast,
    GradingPlan,
    GuardCheck,
    GrpoEstimate,
    GrpoJudge,
    GrpoPause,
    GrpoRewardTest,
    GrpoRun,
    GrpoRunList,
    GrpoRunReward,
    GrpoStatus,
    GuardVerdict,
    GrpoAudit,
    GrpoGuard,
    GrpoLook,
    GrpoRolloutView,
    GrpoStep,
    StepAlarm,
    GrpoVerdict,
    RolloutGrade,
    ImportLogs,
    ImportedGrade,
    ImportedLog,
    ImportedMessage,
    ImproveCriterion,
    Improvement,
    NoImprovementReason,
    Interval,
    JudgingMode,
    Label,
    LabelFilter,
    LabelImportSummary,
    LabelSampling,
    Leakage,
    ListedLog,
    LogEntry,
    LogEntryWithFeedback,
    Feedback,
    FeedbackRating,
    GiveFeedback,
    LogImport,
    LogRow,
    MessagesError,
    MessagesReply,
    MessagesRequest,
    Metrics,
    Model,
    PlanEval,
    NoToolCall,
    Preferred,
    PutAlias,
    RateInterval,
    Redaction,
    RerankReply,
    RerankRequest,
    ResponseInputItem,
    ResponseObject,
    ResponsesRequest,
    RightToAct,
    RubricType,
    RunStatus,
    SampleFilters,
    Scan,
    ScanEstimate,
    Segment,
    SetupStatus,
    StepTakes,
    StartCalibration,
    StartScan,
    SuggestCriteria,
    Suggestions,
    ToolCalled,
    Trace,
    TraceExport,
    TraceExportReply,
    TraceSpan,
    UploadFormat,
    TrainingExample,
    Trust,
    UpdateCriterion,
    Usage,
    Verdict,
    VerdictRow,
    Webhook,
    WebhookDelivery,
    WebhookEventType,
    WebhookMessageType,
  }).map(([name, schema]) => [schema, name]),
)
