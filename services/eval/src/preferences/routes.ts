import {
  type CreateEvalPreference,
  calibrateEval,
  createEvalPreference,
  type EvalPreference,
  listEvalPreferences,
  nextToCompare,
} from '@ratchet/contracts/eval-preferences'
import type { Identity } from '@ratchet/contracts/identity'
import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { EvidenceStore } from '../gate/pg-evidence.ts'
import type { EvalRun } from '../runs/eval-run.ts'
import type { EvalStore } from '../runs/eval-store.ts'
import { requireEval } from '../runs/require-eval.ts'
import type { SampleStore } from '../samples/sample.ts'
import { calibrateJudge } from './calibrate-judge.ts'
import { comparisonsOf, preferredOf } from './next-comparisons.ts'
import type { Preference, PreferenceStore } from './preference.ts'

export interface PreferenceRouteDeps {
  readonly evals: Pick<EvalStore, 'get'>
  readonly samples: Pick<SampleStore, 'measured' | 'list'>
  readonly evidence: EvidenceStore
  readonly preferences: PreferenceStore
  readonly now: () => Date
  readonly newId: () => string
}

export function preferenceRoutes(router: Router, deps: PreferenceRouteDeps): void {
  const { evals, samples, preferences, now, newId } = deps
  mountJson(router, createEvalPreference, async ({ params, body, identity }) => {
    const run = await requireEval(evals, identity, params.id)
    const sampleId = uuidOf('sample', params.sample_id)
    if (sampleId === null) throw notFound('sample')
    requireSide(body, identity)
    const candidateIndex = candidateIndexOf(run, body.candidate)
    const preference: Preference = {
      id: newId(),
      workspaceId: run.workspaceId,
      runId: run.id,
      sampleId,
      candidateIndex,
      preferred: preferredOf(body.preference, { sampleId, candidateIndex }),
      grader: body.grader ?? identity.userId,
      isBlind: body.blind,
      createdBy: identity.userId,
      keyId: identity.keyId,
      createdAt: now(),
    }
    if (!(await preferences.add(preference))) throw notFound('sample')
    return { reply: { ...preferenceReply(preference, run), preference: body.preference } }
  })
  mount(router, nextToCompare, async ({ params, query, identity }) => {
    const run = await requireEval(evals, identity, params.id)
    if (run.status !== 'DONE') {
      throw new ServiceError('conflict', `The eval is ${run.status}. Its answers can be compared when it is DONE.`)
    }
    const order = { run, place: candidateIndexOf(run, query.candidate) - 1, count: query.count }
    return { object: 'list' as const, ...(await comparisonsOf(deps, order)) }
  })
  mount(router, listEvalPreferences, async ({ params, query: { limit, offset }, identity }) => {
    const run = await requireEval(evals, identity, params.id)
    const where = { workspaceId: run.workspaceId, runId: run.id, limit, offset }
    const { total, preferences: page } = await preferences.list(where)
    return pageReply(
      page.map((preference) => preferenceReply(preference, run)),
      total,
      { limit, offset },
    )
  })
  mount(router, calibrateEval, async ({ params, identity }) => {
    const run = await requireEval(evals, identity, params.id)
    const { workspaceId, id: runId, request, report } = run
    const [measured, current] = await Promise.all([
      samples.measured(runId),
      preferences.current({ workspaceId, runId }),
    ])
    const candidates = request.candidate_models.map((model, place) => {
      const { win_rate = null, win_rate_ci = null } = report?.candidates[model] ?? {}
      return [model, { ...calibrateJudge(measured, current, place), win_rate, win_rate_ci }] as const
    })
    return {
      object: 'eval.calibration' as const,
      eval_id: publicId('eval', runId),
      candidates: Object.fromEntries(candidates),
    }
  })
}

/**
 * Who names a model knows which one it is. The dashboard shows answers without names itself, and sends which model the chosen
 * side was.
 */
function requireSide(
  { blind: isBlind, preference }: Pick<CreateEvalPreference, 'blind' | 'preference'>,
  { session }: Pick<Identity, 'session'>,
): void {
  const namesModel = preference === 'baseline' || preference === 'candidate'
  if (!isBlind || !namesModel || session !== undefined) return
  const message = 'A blind preference is `first`, `second` or `tie`, as `next_to_compare` shows the answers.'
  throw new ServiceError('invalid_request', message, { param: 'blind' })
}

/** From 1. */
function candidateIndexOf({ request: { candidate_models: models } }: EvalRun, candidate: string | undefined): number {
  const requested = candidate ?? (models.length === 1 ? models[0] : undefined)
  const index = requested === undefined ? -1 : models.indexOf(requested)
  if (index >= 0) return index + 1
  throw new ServiceError('invalid_request', `Send \`candidate\`, one of ${models.join(', ')}.`, { param: 'candidate' })
}

function preferenceReply(preference: Preference, { request }: EvalRun): EvalPreference {
  return {
    object: 'eval.preference',
    id: publicId('preference', preference.id),
    eval_id: publicId('eval', preference.runId),
    sample_id: publicId('sample', preference.sampleId),
    candidate: request.candidate_models[preference.candidateIndex - 1] ?? '',
    preference: preference.preferred,
    grader_id: preference.grader,
    created_by: preference.createdBy,
    key_id: preference.keyId,
    blind: preference.isBlind,
    created_at: preference.createdAt.toISOString(),
  }
}
