import { billingEndpoints } from './billing.ts'
import { readBlindLog, readBlindRun } from './blind-log.ts'
import { budgetEndpoints } from './budgets.ts'
import type { Endpoint } from './endpoint.ts'
import { failureEndpoints } from './failures.ts'
import { logHistogram, logValues, previewDataset } from './log-overview.ts'
import { claimItems, gradeItem, readBatch, renewClaims } from './review-grades.ts'
import { adjudicate, listAdjudications, readGraders, readWaitingItems } from './review-people.ts'
import { closeRound, getRound, listRounds, openRound } from './review-rounds.ts'
import { listAliasAudit, listGateLooks } from './session-aliases.ts'
import {
  estimateCalibration,
  listCriterionEvents,
  listImprovements,
  listLatestScans,
  listSuggestions,
} from './session-criteria.ts'
import { gradeOne, readMarks } from './session-labels.ts'
import { providerEndpoints } from './session-providers.ts'
import { raftEndpoints } from './session-raft.ts'
import { voicePageEndpoints } from './session-voice.ts'

/**
 * Every endpoint that exists only for people who signed in to the dashboard. The dashboard's door of the edge knows them;
 * the public door and the OpenAPI document do not.
 */
export const sessionEndpoints: readonly Endpoint[] = [
  ...billingEndpoints,
  ...budgetEndpoints,
  ...failureEndpoints,
  ...providerEndpoints,
  ...raftEndpoints,
  ...voicePageEndpoints,
  readBlindLog,
  readBlindRun,
  logHistogram,
  logValues,
  previewDataset,
  openRound,
  listRounds,
  getRound,
  closeRound,
  claimItems,
  renewClaims,
  gradeItem,
  readBatch,
  listAdjudications,
  adjudicate,
  readGraders,
  readWaitingItems,
  gradeOne,
  readMarks,
  estimateCalibration,
  listCriterionEvents,
  listLatestScans,
  listImprovements,
  listSuggestions,
  listGateLooks,
  listAliasAudit,
]
