import { gradeItem } from '@ratchet/contracts/review-grades'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { ApiError, UnreachableError } from '../../../api/api-error.ts'
import { call } from '../../../api/call.ts'
import { useMe } from '../../../api/me.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { now } from '../../../clock.ts'
import { Outbox, type OutboxEntry } from './outbox.ts'
import { createOutboxStore } from './outbox-store.ts'

/** One for each person and workspace, so that grades are still sent after the page of the round was left. */
const outboxes = new Map<string, { readonly outbox: Outbox; readonly loaded: Promise<void> }>()

export function useOutbox() {
  const slug = useWorkspaceSlug()
  const userId = useMe().user?.id ?? ''
  const { outbox, loaded } = useMemo(() => outboxOf(userId, slug), [userId, slug])
  const state = useSyncExternalStore(outbox.subscribe, outbox.state)
  const [isLoaded, setIsLoaded] = useState(false)
  useEffect(() => {
    void loaded.then(() => setIsLoaded(true))
  }, [loaded])
  return { outbox, state, isLoaded, userId }
}

function outboxOf(userId: string, slug: string) {
  const key = `${userId}:${slug}`
  const known = outboxes.get(key)
  if (known !== undefined) return known
  const outbox = new Outbox({ store: createOutboxStore(), send, mayRetry, now, wait })
  const made = { outbox, loaded: outbox.load(userId, slug) }
  window.addEventListener('online', () => outbox.wake())
  outboxes.set(key, made)
  return made
}

async function send(entry: OutboxEntry): Promise<void> {
  const { slug, gradeId, claimId, itemId, label, reasons, rationale, shownMs, seenAll } = entry
  const body = {
    grade_id: gradeId,
    claim_id: claimId,
    item_id: itemId,
    label,
    reasons: [...reasons],
    rationale,
    shown_ms: shownMs,
    seen_all: seenAll,
  }
  await call(gradeItem, { slug, body })
}

/** Everything but the refusal of this grade passes: the network, the server, a session that ended, too many requests. */
function mayRetry(error: unknown): boolean {
  if (error instanceof UnreachableError) return true
  return !(error instanceof ApiError) || error.status >= 500 || [401, 408, 425, 429].includes(error.status)
}

function wait(ms: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const end = () => {
    clearTimeout(timer)
    resolve()
  }
  return { done: promise, end }
}
