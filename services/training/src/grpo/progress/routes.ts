import { getGrpoAudit, getGrpoGuard, listGrpoRollouts, listGrpoSteps } from '@ratchet/contracts/grpo-progress'
import { lookSamples } from '@ratchet/contracts/grpo-protocol'
import { pageReply } from '@ratchet/contracts/page'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import { auditReply } from '../../audits/audit-reply.ts'
import { requireRun } from '../runs/routes.ts'
import type { RunStore } from '../runs/run.ts'
import { plannedLooks } from '../runs/run-settings.ts'
import type { RunProgress } from './progress-store.ts'
import { lookReply, rolloutReply, stepReply } from './replies.ts'

export interface RunProgressDeps {
  readonly runs: Pick<RunStore, 'get'>
  readonly runProgress: RunProgress
}

export function runProgressRoutes(router: Router, { runs, runProgress }: RunProgressDeps): void {
  mount(router, listGrpoSteps, async ({ params, query, identity }) => {
    const { id: runId, workspaceId } = await requireRun(runs, identity, params.id)
    const range = { fromStep: query.from_step, limit: query.points }
    const steps = await runProgress.steps({ workspaceId, runId }, range)
    return { object: 'list' as const, data: steps.map(stepReply) }
  })
  mount(router, listGrpoRollouts, async ({ params, query, identity }) => {
    const { id: runId, workspaceId } = await requireRun(runs, identity, params.id)
    const { step = null, ...page } = query
    const { rollouts, total } = await runProgress.rollouts({ workspaceId, runId }, { ...page, step })
    return pageReply(rollouts.map(rolloutReply), total, query)
  })
  mount(router, getGrpoGuard, async ({ params, identity }) => {
    const run = await requireRun(runs, identity, params.id)
    const looks = await runProgress.looks({ workspaceId: run.workspaceId, runId: run.id })
    return {
      object: 'grpo.guard' as const,
      run_id: params.id,
      verdict: run.guardVerdict,
      action: run.settings.holdout.action,
      margin: run.settings.holdout.margin,
      planned_looks: plannedLooks(run.settings),
      prompts: run.settings.prompts.guard,
      samples_per_prompt: lookSamples,
      best_step: run.bestStep,
      looks: looks.map(lookReply),
    }
  })
  mount(router, getGrpoAudit, async ({ params, query, identity }) => {
    const run = await requireRun(runs, identity, params.id)
    const of = { workspaceId: run.workspaceId, runId: run.id }
    const step = query.step ?? run.bestStep ?? run.lastLook ?? 0
    const order = { step, limit: run.settings.auditSample, grader: identity.userId }
    const [answers, looks] = await Promise.all([runProgress.audit(of, order), runProgress.looks(of)])
    const { graded = 0, falsePass = 0 } = looks.find((look) => look.step === step) ?? {}
    return { ...auditReply({ graded, falsePass }, answers), run_id: params.id, step }
  })
}
