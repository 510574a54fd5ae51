import { createEvalPreference, type Preferred } from '@ratchet/contracts/eval-preferences'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, isTransient } from '../../../api/api-error.ts'
import { useAct } from '../../../api/use-act.ts'

interface Choice {
  readonly sampleId: string
  readonly candidate: string
  readonly preference: Preferred
  /** False when the person had seen the names and the verdict before. */
  readonly blind: boolean
}

/** Milliseconds to wait when the answer does not say for how long. */
const usualWaitMs = 5_000

/**
 * Records choices one after another while the person goes on. What fails for a moment, or comes too fast for the API, is sent
 * again later; another error stops the recording and is shown.
 */
export function useChoices(evalId: string) {
  const [made, setMade] = useState(0)
  const [waiting, setWaiting] = useState<readonly Choice[]>([])
  const [turn, setTurn] = useState(0)
  const [error, setError] = useState<Error | null>(null)
  const isSending = useRef(false)
  const named = useRef(new Set<string>())
  const { mutateAsync } = useAct(createEvalPreference)
  const first = waiting[0]
  useEffect(() => {
    if (first === undefined || isSending.current || error !== null || turn < 0) return
    isSending.current = true
    const { sampleId, ...body } = first
    const send = mutateAsync({ params: { id: evalId, sample_id: sampleId }, body })
    send.then(
      () => {
        isSending.current = false
        setWaiting((before) => before.slice(1))
      },
      (failure: Error) => {
        isSending.current = false
        const waitMs = waitAfter(failure)
        if (waitMs === null) setError(failure)
        else setTimeout(() => setTurn((before) => before + 1), waitMs)
      },
    )
  }, [first, turn, error, evalId, mutateAsync])
  return {
    /** Number of choices since the page was opened. */
    made,
    /** Number of those that are not saved yet. */
    waiting: waiting.length,
    error,
    choose: (choice: Omit<Choice, 'blind'>) => {
      setMade((before) => before + 1)
      setWaiting((before) => [...before, { ...choice, blind: !named.current.has(choice.sampleId) }])
    },
    /** Remembers that the person saw a sample with names and verdict. */
    sawNamed: useCallback((sampleId: string) => void named.current.add(sampleId), []),
    retry: () => setError(null),
  }
}

function waitAfter(failure: Error): number | null {
  if (isTransient(failure)) return usualWaitMs
  if (!(failure instanceof ApiError) || failure.status !== 429) return null
  return failure.retryAfter === null ? usualWaitMs : failure.retryAfter * 1_000
}

export type Choices = ReturnType<typeof useChoices>
