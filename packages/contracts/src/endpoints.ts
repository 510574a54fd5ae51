import { getAliasGate, getGatePlan, nextToGradeOfGate } from './alias-gate.ts'
import { deleteAlias, getAlias, listAliasEvents, listAliases, putAlias, rollbackAlias } from './aliases.ts'
import { getCalibration, judgeOne, listCalibrationRows, listCalibrations, startCalibration } from './calibrations.ts'
import {
  calibrateCascade,
  createCascade,
  deleteCascade,
  getCascade,
  getCascadeScan,
  listCascades,
  listUndecided,
  startCascadeScan,
} from './cascades.ts'
import { createChatCompletion } from './chat.ts'
import { createCompletion } from './completions.ts'
import {
  createCriterion,
  deleteCriterion,
  getCriterion,
  listCriteria,
  monitorCriterion,
  updateCriterion,
} from './criteria.ts'
import { distillDataset } from './dataset-distill.ts'
import { curateFromEvals } from './dataset-from-evals.ts'
import {
  createDataset,
  curateFromLogs,
  deleteDataset,
  exportDataset,
  getDataset,
  listDatasetExamples,
  listDatasets,
  updateDataset,
} from './datasets.ts'
import {
  createDedicatedEndpoint,
  deleteDedicatedEndpoint,
  getDedicatedEndpoint,
  getDedicatedMetrics,
  listDedicatedEndpoints,
  listDedicatedEvents,
  listDedicatedHardware,
  startDedicatedEndpoint,
  stopDedicatedEndpoint,
  updateDedicatedEndpoint,
} from './dedicated.ts'
import { createEmbedding } from './embeddings.ts'
import type { Endpoint } from './endpoint.ts'
import {
  createEnvironmentTool,
  deleteEnvironmentTool,
  getEnvironmentTool,
  listEnvironmentTools,
  recordEnvironmentTool,
  testEnvironmentTool,
  updateEnvironmentTool,
} from './environment-tools.ts'
import { gateEval } from './eval-gate.ts'
import { estimateEval } from './eval-plan.ts'
import { calibrateEval, createEvalPreference, listEvalPreferences, nextToCompare } from './eval-preferences.ts'
import { cancelEval, createEval, getEval, listEvalSamples, listEvals } from './evals.ts'
import { giveFeedback } from './feedback.ts'
import { createFile, deleteFile, getFile, getFileContent, listFiles } from './files.ts'
import {
  cancelFineTuningJob,
  createFineTuningJob,
  estimateFineTuningJob,
  getFineTuningJob,
  listFineTuningJobs,
  pauseFineTuningJob,
  resumeFineTuningJob,
} from './fine-tuning.ts'
import { listTrainableModels } from './fine-tuning-models.ts'
import { listFineTuningCheckpoints, listFineTuningEvents, listFineTuningMetrics } from './fine-tuning-progress.ts'
import {
  cancelGrpoRun,
  createGrpoRun,
  estimateGrpoRun,
  getGrpoRun,
  listGrpoRuns,
  pauseGrpoRun,
  resumeGrpoRun,
} from './grpo.ts'
import { getGrpoAudit, getGrpoGuard, listGrpoRollouts, listGrpoSteps } from './grpo-progress.ts'
import { testGrpoReward } from './grpo-reward-test.ts'
import { createImage } from './images.ts'
import { getImprovement, getSuggestions, improveCriterion, suggestCriteria } from './judge-assist.ts'
import { createLabels, exportLabels, getLabel, importLabels, labelAgreement, listLabels } from './labels.ts'
import { importLogs } from './log-import.ts'
import { deleteLog, exportLogs, getLog, listLogs } from './logs.ts'
import { createMessage } from './messages.ts'
import {
  adoptModelVersion,
  archiveModelVersion,
  deleteTrainedModel,
  importModelVersion,
  rejectModelVersion,
  serveModelVersion,
  unserveModelVersion,
} from './model-version-changes.ts'
import { downloadModelVersion, getModelVersion, getVersionLineage, listModelVersions } from './model-versions.ts'
import { getModel, listModels } from './models.ts'
import { createModeration } from './moderations.ts'
import { droppedExports, exportTraces, exportTracesAlias } from './otlp.ts'
import { countMessageTokens, countResponseTokens } from './prompt-counts.ts'
import { getRaftAudit, getRaftRound, listRaftRounds } from './raft.ts'
import { createRerank, createRerankV2 } from './rerank.ts'
import {
  cancelResponse,
  compactResponse,
  createResponse,
  deleteResponse,
  getResponse,
  listInputItems,
} from './responses.ts'
import { getScan, listVerdicts, nextToGrade, startScan } from './scans.ts'
import { listSegments } from './segments.ts'
import { getSetupStatus } from './setup-status.ts'
import { createSpeech, createTranscription } from './sound.ts'
import { exportTrace, getSpan, getTrace, listTraces } from './traces.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayDelivery,
  testWebhook,
  updateWebhook,
} from './webhooks.ts'

/** Every public endpoint of the fleet. The edge, OpenAPI and the route tests are derived from this list. */
export const endpoints: readonly Endpoint[] = [
  createChatCompletion,
  createCompletion,
  createResponse,
  compactResponse,
  getResponse,
  deleteResponse,
  cancelResponse,
  listInputItems,
  createMessage,
  countMessageTokens,
  countResponseTokens,
  createEmbedding,
  createRerank,
  createRerankV2,
  createModeration,
  createImage,
  createSpeech,
  createTranscription,
  listModels,
  getModel,
  exportTraces,
  exportTracesAlias,
  ...droppedExports,
  listLogs,
  exportLogs,
  listSegments,
  getLog,
  deleteLog,
  importLogs,
  giveFeedback,
  listTraces,
  getTrace,
  getSpan,
  exportTrace,
  getSetupStatus,
  curateFromLogs,
  curateFromEvals,
  distillDataset,
  createDataset,
  listDatasets,
  getDataset,
  listDatasetExamples,
  exportDataset,
  updateDataset,
  deleteDataset,
  createFile,
  listFiles,
  getFile,
  getFileContent,
  deleteFile,
  createCriterion,
  listCriteria,
  suggestCriteria,
  getSuggestions,
  getCriterion,
  updateCriterion,
  deleteCriterion,
  monitorCriterion,
  judgeOne,
  startCalibration,
  listCalibrations,
  getCalibration,
  listCalibrationRows,
  startScan,
  getScan,
  listVerdicts,
  nextToGrade,
  improveCriterion,
  getImprovement,
  createCascade,
  listCascades,
  getCascade,
  deleteCascade,
  calibrateCascade,
  startCascadeScan,
  getCascadeScan,
  listUndecided,
  createLabels,
  listLabels,
  importLabels,
  exportLabels,
  labelAgreement,
  getLabel,
  createEval,
  estimateEval,
  createEvalPreference,
  listEvalPreferences,
  nextToCompare,
  calibrateEval,
  listEvals,
  getEval,
  cancelEval,
  listEvalSamples,
  gateEval,
  putAlias,
  listAliases,
  getAlias,
  deleteAlias,
  getAliasGate,
  getGatePlan,
  nextToGradeOfGate,
  listAliasEvents,
  rollbackAlias,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  testWebhook,
  deleteWebhook,
  listDeliveries,
  replayDelivery,
  listTrainableModels,
  createFineTuningJob,
  estimateFineTuningJob,
  listFineTuningJobs,
  getFineTuningJob,
  cancelFineTuningJob,
  pauseFineTuningJob,
  resumeFineTuningJob,
  listFineTuningEvents,
  listFineTuningCheckpoints,
  listFineTuningMetrics,
  listRaftRounds,
  getRaftRound,
  getRaftAudit,
  createGrpoRun,
  estimateGrpoRun,
  testGrpoReward,
  listGrpoRuns,
  getGrpoRun,
  cancelGrpoRun,
  pauseGrpoRun,
  resumeGrpoRun,
  listGrpoSteps,
  listGrpoRollouts,
  getGrpoGuard,
  getGrpoAudit,
  importModelVersion,
  listModelVersions,
  getModelVersion,
  getVersionLineage,
  adoptModelVersion,
  rejectModelVersion,
  archiveModelVersion,
  serveModelVersion,
  unserveModelVersion,
  downloadModelVersion,
  deleteTrainedModel,
  createEnvironmentTool,
  listEnvironmentTools,
  recordEnvironmentTool,
  getEnvironmentTool,
  updateEnvironmentTool,
  deleteEnvironmentTool,
  testEnvironmentTool,
  createDedicatedEndpoint,
  listDedicatedEndpoints,
  getDedicatedEndpoint,
  updateDedicatedEndpoint,
  startDedicatedEndpoint,
  stopDedicatedEndpoint,
  deleteDedicatedEndpoint,
  listDedicatedEvents,
  getDedicatedMetrics,
  listDedicatedHardware,
]
