import type { ProviderKeyTest } from '@ratchet/contracts/session-providers'
import type { ReactNode } from 'react'
import { errorKindOf } from '../../../kit/states/error-kind.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { duration } from '../../../kit/time.ts'

const advice: Readonly<Record<NonNullable<ProviderKeyTest['failure']>, string>> = {
  misconfigured: 'Check the key and the base URL.',
  refused: 'The key was accepted, and the request was not.',
  throttled: 'The key was accepted; the account has no room for requests at present.',
  unavailable: 'Check the base URL, or try again later.',
  timed_out: 'Try again later.',
  broken: 'Check that the base URL is one of this provider.',
}

interface KeyTestProps {
  readonly result: ProviderKeyTest | undefined
  readonly error: Error | null
}

/** What the last test of a key found. */
export function KeyTest({ result, error }: KeyTestProps): ReactNode {
  if (errorKindOf(error).kind === 'not-found') {
    return <Notice state="open">This key is not in use yet. A saved key is used after about a second.</Notice>
  }
  if (error !== null) return <ErrorState error={error} />
  if (result === undefined) return null
  const { provider, model, failure, http_status: status, message, duration_ms: ms } = result
  if (failure === null) {
    return (
      <Notice state="proven">
        The key for {provider} works: {model} answered in {duration(ms)}.
      </Notice>
    )
  }
  return (
    <Notice state="wrong">
      The key for {provider} does not work: {model} gave {status === null ? 'no answer' : `status ${status}`} after{' '}
      {duration(ms)}. {message} {advice[failure]}
    </Notice>
  )
}
