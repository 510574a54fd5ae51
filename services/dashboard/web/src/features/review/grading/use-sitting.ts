import { claimItems, renewClaims } from '@ratchet/contracts/review-grades'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { newId, now } from '../../../clock.ts'
import { undoMs } from './outbox.ts'
import {
  type Answer,
  batchOf,
  emptySitting,
  type Sitting,
  type StoredAnswer,
  wantsBatch,
  withAnswer,
  withCardClosed,
  withClaim,
  withLastAgain,
  withStep,
} from './sitting.ts'
import { useOutbox } from './use-outbox.ts'

const heartbeatMs = 240_000

export interface GradeWords {
  readonly reasons: readonly string[]
  readonly rationale: string | null
  readonly seenAll: boolean
}

/** A sitting of the signed-in person in a round: claims, answers, undo. */
export function useSitting(roundId: string) {
  const slug = useWorkspaceSlug()
  const [sitting, setSitting] = useState<Sitting>(emptySitting)
  const { outbox, state, isLoaded, userId } = useOutbox()
  const claiming = useClaims(roundId, sitting, setSitting, isLoaded ? outbox : null)
  const shownAt = useRef({ itemId: null as string | null, ms: 0 })
  const [startedMs] = useState(now)
  if (shownAt.current.itemId !== sitting.itemId) shownAt.current = { itemId: sitting.itemId, ms: now() }

  const answer = (label: Answer, { reasons, rationale, seenAll }: GradeWords) => {
    const { itemId } = sitting
    const batch = itemId === null ? undefined : batchOf(sitting, itemId)
    if (itemId === null || batch === undefined || sitting.cardOf !== null) return
    const gradeId = newId()
    const at = now()
    setSitting(withAnswer(sitting, { gradeId, label }))
    const entry = { gradeId, slug, userId, roundId, claimId: batch.claimId, itemId, label, reasons, rationale }
    void outbox.add({ ...entry, seenAll, shownMs: at - shownAt.current.ms, dueMs: at + undoMs })
  }
  const undo = () => {
    const last = sitting.history.at(-1)
    const gradeId = last === undefined ? undefined : sitting.answers[last]?.gradeId
    if (gradeId !== undefined) setSitting(withLastAgain(sitting, outbox.takeBack(gradeId)))
  }
  return {
    sitting,
    startedMs,
    outbox: state,
    claimError: claiming.error,
    retryClaim: claiming.retry,
    answer,
    undo,
    sendNow: outbox.sendNow,
    step: (by: -1 | 1) => setSitting(withStep(sitting, by)),
    askAgain: () => setSitting({ ...sitting, isEmpty: false }),
    closeCard: () => setSitting(withCardClosed(sitting)),
  }
}

type OutboxPart = ReturnType<typeof useOutbox>['outbox']

/** Claims ahead, one after the other, and keeps what is claimed while the page is open. */
function useClaims(
  roundId: string,
  sitting: Sitting,
  setSitting: (change: (before: Sitting) => Sitting) => void,
  outbox: OutboxPart | null,
) {
  const slug = useWorkspaceSlug()
  const [error, setError] = useState<unknown>(null)
  const isClaiming = useRef(false)
  const wants = outbox !== null && error === null && wantsBatch(sitting)
  const held = sitting.batches.map(({ claimId }) => claimId)
  const claim = useEffectEvent(async () => {
    if (isClaiming.current || outbox === null) return
    isClaiming.current = true
    try {
      const body = { holding: held.slice(-10) }
      const claimed = await call(claimItems, { slug, params: { id: roundId }, body })
      const waiting = outbox.state().waiting.map(({ itemId, gradeId, label }) => [itemId, { gradeId, label }] as const)
      setSitting((before) => withClaim(before, claimed, Object.fromEntries<StoredAnswer>(waiting)))
    } catch (reason) {
      setError(reason)
    } finally {
      isClaiming.current = false
    }
  })
  // Each claim and each answer may make another claim due.
  useEffect(() => {
    if (wants) void claim()
  }, [wants, sitting])
  const renew = useEffectEvent(() => {
    if (held.length === 0) return
    const body = { claim_ids: held.slice(-10) }
    // Without the network the leases end, and other people get the items; grades that arrive late still count.
    call(renewClaims, { slug, params: { id: roundId }, body }).catch(() => undefined)
  })
  useEffect(() => {
    const timer = setInterval(() => renew(), heartbeatMs)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    if (error === null) return
    const timer = setTimeout(() => setError(null), 5_000)
    return () => clearTimeout(timer)
  }, [error])
  return { error, retry: () => setError(null) }
}
