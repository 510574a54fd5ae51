import {
  CreatedEnvironmentTool,
  EnvironmentTool,
  EnvironmentToolKind,
  HttpTool,
  RecordedFromTraces,
  RecordedTool,
  SeenArgument,
  StaticTool,
  ToolError,
  ToolStats,
  ToolTest,
} from './environment-tools.ts'
import {
  FineTuningEstimate,
  FineTuningHyperparameters,
  FineTuningJob,
  FineTuningJobPage,
  FineTuningStatus,
  TrainingDataReport,
} from './fine-tuning.ts'
import { AfterTraining, CreateFineTuningJob, FineTuningMethod } from './fine-tuning-body.ts'
import { TrainableModel } from './fine-tuning-models.ts'
import { FineTuningCheckpoint, FineTuningEvent, FineTuningMetrics } from './fine-tuning-progress.ts'
import { AdoptModelVersion } from './model-version-changes.ts'
import {
  LineageNode,
  ModelVersion,
  ModelVersionDetail,
  ModelVersionStatus,
  RewardAudit,
  VersionLineage,
} from './model-versions.ts'
import { RaftRound, RaftStatus } from './raft.ts'

/** Schemas of training that the OpenAPI document names. */
export const trainingSchemas = {
  AdoptModelVersion,
  AfterTraining,
  CreateFineTuningJob,
  CreatedEnvironmentTool,
  EnvironmentTool,
  EnvironmentToolKind,
  FineTuningCheckpoint,
  FineTuningEstimate,
  FineTuningEvent,
  FineTuningHyperparameters,
  FineTuningJob,
  FineTuningJobPage,
  FineTuningMethod,
  FineTuningMetrics,
  FineTuningStatus,
  HttpTool,
  LineageNode,
  ModelVersion,
  ModelVersionDetail,
  ModelVersionStatus,
  RaftRound,
  RaftStatus,
  RecordedFromTraces,
  RecordedTool,
  RewardAudit,
  SeenArgument,
  StaticTool,
  ToolError,
  ToolStats,
  ToolTest,
  TrainableModel,
  TrainingDataReport,
  VersionLineage,
} as const
