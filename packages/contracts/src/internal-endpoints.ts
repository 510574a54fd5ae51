import { receivePayment } from './billing.ts'
import type { Endpoint } from './endpoint.ts'
import { aliasesOfCriterion, aliasProgress, publishWebhookEvent, reportAliasTraffic } from './internal-alias.ts'
import { quoteBatch, releaseBatchHold, takeBatchHold, writeFilePiece } from './internal-batches.ts'
import {
  checkpointCallHolds,
  readCharges,
  releaseCallHold,
  settleCallHold,
  takeCallHold,
} from './internal-call-money.ts'
import { modelsNamed, trainableModels } from './internal-catalog.ts'
import { correctWallet, creditWallet } from './internal-credits.ts'
import { announceDataset, drawPrompts, fillDataset, reportDataset } from './internal-datasets.ts'
import { datasetReaders, evalEvidence, evalProgress } from './internal-eval.ts'
import { readFeedback } from './internal-feedback.ts'
import { criterionRuns, gradeRollout } from './internal-grpo.ts'
import {
  gateJudge,
  judgingProgress,
  noteEvalJudge,
  planGateJudgements,
  readGateVerdicts,
  readLogVerdicts,
} from './internal-judging.ts'
import { listCredits, readLedgerAudits } from './internal-ledgers.ts'
import {
  drawRuns,
  findSegment,
  freshExchanges,
  presentExchanges,
  quietRuns,
  readRuns,
  redactDocuments,
  sampleExchanges,
  samplePrompts,
  sampleRuns,
} from './internal-logs.ts'
import { listInstalledProviders } from './internal-providers.ts'
import { weighSplit } from './internal-split.ts'
import { trainingDataReaders } from './internal-training.ts'
import {
  checkpointTrainingHold,
  confirmTrainingHolds,
  listTrainingHolds,
  releaseTrainingHold,
  settleTrainingHold,
  takeTrainingHold,
} from './internal-training-money.ts'
import { checkVersionEvals, getVersionFacts } from './internal-versions.ts'
import { readWallet } from './internal-wallet.ts'
import { readConversation } from './voice/internal-calls.ts'

/** Every endpoint that services serve only to each other. The edge does not know them. */
export const internalEndpoints: readonly Endpoint[] = [
  modelsNamed,
  trainableModels,
  readWallet,
  takeTrainingHold,
  checkpointTrainingHold,
  settleTrainingHold,
  releaseTrainingHold,
  confirmTrainingHolds,
  listTrainingHolds,
  quoteBatch,
  takeBatchHold,
  releaseBatchHold,
  writeFilePiece,
  takeCallHold,
  checkpointCallHolds,
  settleCallHold,
  releaseCallHold,
  readCharges,
  criterionRuns,
  gradeRollout,
  receivePayment,
  creditWallet,
  correctWallet,
  listInstalledProviders,
  listCredits,
  readLedgerAudits,
  sampleExchanges,
  samplePrompts,
  drawPrompts,
  announceDataset,
  reportDataset,
  fillDataset,
  sampleRuns,
  drawRuns,
  readRuns,
  readFeedback,
  quietRuns,
  freshExchanges,
  presentExchanges,
  redactDocuments,
  findSegment,
  judgingProgress,
  gateJudge,
  noteEvalJudge,
  planGateJudgements,
  readGateVerdicts,
  readLogVerdicts,
  evalProgress,
  datasetReaders,
  evalEvidence,
  trainingDataReaders,
  getVersionFacts,
  checkVersionEvals,
  reportAliasTraffic,
  aliasesOfCriterion,
  aliasProgress,
  publishWebhookEvent,
  weighSplit,
  readConversation,
]
