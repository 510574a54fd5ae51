import { publicId } from '@ratchet/contracts/public-id'
import type { PublishWebhookEvent } from '@ratchet/judge-kit/fleet/publish-webhook-event'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import type { DoneEval, DoneEvalCursor, DoneEvalStore } from './pg-done-evals.ts'

export interface NotifyDoneDeps {
  readonly done: DoneEvalStore
  readonly publish: PublishWebhookEvent
  /** Called when the alias service refuses a notice, which is then not sent again. */
  readonly onRefused: (runId: string) => void
  readonly now: () => Date
}

/** Notices sent at the same time. */
const maxConcurrent = 4
/** How long after the end of an eval its notice is retried, milliseconds. */
const noticeLifetimeMs = 24 * 3_600_000

/**
 * Publishes `eval.done` to the webhooks of workspaces, through the alias service. A notice that fails is retried at the
 * next call. When a whole page fails, the alias service is taken to be unavailable and the rest waits for the next call.
 *
 * @throws the first failure
 */
export async function notifyDone(deps: NotifyDoneDeps): Promise<void> {
  const { done, now } = deps
  await done.expire(new Date(now().getTime() - noticeLifetimeMs), now())
  const failures: unknown[] = []
  let after: DoneEvalCursor | null = null
  for (;;) {
    const page: readonly DoneEval[] = await done.pendingNotices(maxConcurrent, after)
    const results = await Promise.allSettled(page.map((run) => publishDone(deps, run)))
    const failed = results.filter((each) => each.status === 'rejected')
    failures.push(...failed.map(({ reason }) => reason))
    after = page.at(-1) ?? null
    if (page.length < maxConcurrent || failed.length === page.length) break
  }
  if (failures.length > 0) throw failures[0]
}

async function publishDone({ done, publish, onRefused, now }: NotifyDoneDeps, run: DoneEval): Promise<void> {
  const answer = await publish({
    id: deterministicId('eval-done', run.id),
    type: 'eval.done',
    timestamp: run.finishedAt,
    // The event only names the eval. A receiver reads the eval with its own key.
    data: { object: 'eval', id: publicId('eval', run.id), name: run.name, status: 'DONE' },
    identity: workerIdentity(run.workspaceId, run.createdBy),
  })
  if (answer === 'refused') onRefused(run.id)
  await done.markNotified(run.id, now())
}
