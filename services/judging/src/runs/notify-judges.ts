import type { LiveTopic } from '@ratchet/contracts/live-topic'
import { publicId } from '@ratchet/contracts/public-id'
import type { NotifyLive } from '@ratchet/work-kit/live/live-notifier'
import type { CalibrationStore } from '../calibration/pg-calibrations.ts'
import type { CriterionStore } from '../criteria/criterion.ts'
import type { DriftStore } from '../drift/drift-store.ts'
import type { JudgeRun, RunKind } from './judge-run.ts'

/** Says that judges of a workspace have changed, or what is known about them. Never which, and never a verdict. */
export type NotifyJudges = (workspaceId: string) => void

/** @param now gives the version of a notice */
export function createNotifyJudges(notify: NotifyLive, now: () => Date): NotifyJudges {
  return (workspaceId) => void notify(workspaceId, { topic: 'judges', id: 'judges', version: now().getTime() })
}

type NotedRun = Pick<JudgeRun, 'workspaceId' | 'id' | 'kind'>

/** Says that a run has progressed. Never which item, and never a verdict. It is sent in the background. */
export interface RunNotices {
  /** An item of it is judged. */
  readonly judged: (run: NotedRun) => void
  /** A step of it is over, or has failed. */
  readonly stepped: (run: NotedRun) => void
}

/** Pages follow runs of these kinds, by their public ids. */
const topics: Partial<Record<RunKind, (uuid: string) => LiveTopic>> = {
  calibration: (uuid) => `calibration:${publicId('calibration', uuid)}`,
  scan: (uuid) => `scan:${publicId('scan', uuid)}`,
  suggestion: (uuid) => `suggestion:${publicId('suggestion', uuid)}`,
  improvement: (uuid) => `improvement:${publicId('improvement', uuid)}`,
  round: (uuid) => `round:${publicId('round', uuid)}`,
}

/** Kinds of runs that change what lists of judges and cascades show. */
const ofJudges: ReadonlySet<RunKind> = new Set(['calibration', 'drift_replay', 'cascade_calibration', 'cascade_scan'])

/** @param now gives the version of a notice */
export function createRunNotices(notify: NotifyLive, now: () => Date): RunNotices {
  const judged = ({ workspaceId, id, kind }: NotedRun) => {
    const topic = topics[kind]?.(id)
    if (topic !== undefined) void notify(workspaceId, { topic, id, version: now().getTime() })
  }
  const notifyJudges = createNotifyJudges(notify, now)
  return {
    judged,
    stepped(run) {
      judged(run)
      if (ofJudges.has(run.kind)) notifyJudges(run.workspaceId)
    },
  }
}

/** Each notice is sent after the transaction. */
export function withCriterionNotices(criteria: CriterionStore, notify: NotifyJudges): CriterionStore {
  return {
    ...criteria,
    async create(criterion, by) {
      await criteria.create(criterion, by)
      notify(criterion.workspaceId)
    },
    async update(key, decide, at, by) {
      const updated = await criteria.update(key, decide, at, by)
      if (updated !== null) notify(key.workspaceId)
      return updated
    },
    async delete(key, at, by) {
      const isDeleted = await criteria.delete(key, at, by)
      if (isDeleted) notify(key.workspaceId)
      return isDeleted
    },
  }
}

/** A calibration that has begun is in the list of its judge. */
export function withCalibrationNotices(calibrations: CalibrationStore, notify: NotifyJudges): CalibrationStore {
  return {
    ...calibrations,
    async start(run) {
      const started = await calibrations.start(run)
      if (started !== null) notify(run.workspaceId)
      return started
    },
  }
}

/** What a sweep found about drift. */
export function withDriftNotices(drift: DriftStore, notify: NotifyJudges): DriftStore {
  return {
    ...drift,
    async save(examined, found) {
      await drift.save(examined, found)
      notify(examined.workspaceId)
    },
  }
}
