import type { Endpoint } from './endpoint.ts'
import { aliasesOfCriterion, aliasProgress, publishWebhookEvent, reportAliasTraffic } from './internal-alias.ts'
import { modelsNamed } from './internal-catalog.ts'
import { evalEvidence, evalProgress } from './internal-eval.ts'
import {
  gateJudge,
  judgingProgress,
  planGateJudgements,
  readGateVerdicts,
  readLogVerdicts,
} from './internal-judging.ts'
import { gradeRun } from './internal-labels.ts'
import {
  drawRuns,
  freshExchanges,
  presentExchanges,
  quietRuns,
  readRuns,
  redactDocuments,
  sampleExchanges,
  samplePrompts,
  sampleRuns,
} from './internal-logs.ts'
import { readWallet } from './internal-wallet.ts'

/** Every endpoint that services serve only to each other. The edge does not know them. */
export const internalEndpoints: readonly Endpoint[] = [
  modelsNamed,
  readWallet,
  sampleExchanges,
  samplePrompts,
  sampleRuns,
  drawRuns,
  readRuns,
  quietRuns,
  freshExchanges,
  presentExchanges,
  redactDocuments,
  gradeRun,
  judgingProgress,
  gateJudge,
  planGateJudgements,
  readGateVerdicts,
  readLogVerdicts,
  evalProgress,
  evalEvidence,
  reportAliasTraffic,
  aliasesOfCriterion,
  aliasProgress,
  publishWebhookEvent,
]
