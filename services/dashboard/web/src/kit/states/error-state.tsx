import { Anchor, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { useSlug } from '../../api/use-slug.ts'
import { CopyText } from '../copy-text.tsx'
import { clockTime } from '../time.ts'
import { type ErrorKind, errorKindOf } from './error-kind.ts'
import styles from './states.module.css'
import { useSecondsLeft, waitText } from './use-seconds-left.ts'
import { WalletAdvice } from './wallet-advice.tsx'

// Every page may show an error, and few this one.
const LoggingOff = lazy(async () => ({ default: (await import('./logging-off.tsx')).LoggingOff }))

interface ErrorStateProps {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  /** Since when it fails, as milliseconds of the epoch; shown for what is tried again by itself. */
  readonly sinceMs?: number | undefined
}

/** What went wrong, in the words of the server, and what to do about it. */
export function ErrorState({ error, onRetry, sinceMs }: ErrorStateProps): ReactNode {
  const kind = errorKindOf(error)
  const message = error instanceof Error ? error.message : 'Something went wrong.'
  const requestId = error instanceof ApiError ? error.requestId : null
  const left = useSecondsLeft(error)
  const slug = useSlug()
  // What cannot be read for want of a log is empty, not broken.
  if (kind.kind === 'logging-off' && onRetry !== undefined && slug !== null) {
    return (
      <Suspense>
        <LoggingOff />
      </Suspense>
    )
  }
  return (
    <div className={`${styles.state} ${styles.failed}`} role="alert">
      <p>{kind.kind === 'not-found' ? 'This is not here, or not yours to see.' : message}</p>
      <Advice kind={kind} />
      <div className={styles.small}>
        {/* Read aloud once, not every second. */}
        <span aria-live="off">
          {onRetry && (
            <Button variant="default" onClick={onRetry} disabled={left > 0}>
              {left > 0 ? `Retry in ${waitText(left)}` : 'Retry'}
            </Button>
          )}
          {!onRetry && left > 0 && `Possible again in ${waitText(left)}.`}
        </span>
        {(kind.kind === 'busy' || kind.kind === 'unreachable') && sinceMs !== undefined && (
          <span>Tries again by itself; failing since {clockTime(sinceMs)}.</span>
        )}
        {requestId !== null && requestId !== '' && (
          <span>
            Request <CopyText text={requestId} label="Copy the id of the request" />
          </span>
        )}
      </div>
    </div>
  )
}

function Advice({ kind }: { readonly kind: ErrorKind }): ReactNode {
  const slug = useSlug()
  if (kind.kind === 'checks' && kind.checks.length > 0) {
    return (
      <ul className={styles.checks}>
        {kind.checks.map((check) => (
          <li key={check}>{check}</li>
        ))}
      </ul>
    )
  }
  if (kind.kind === 'logging-off' && slug !== null) {
    return (
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/settings/logging" params={{ slug }} />}>
        Turn logging on
      </Anchor>
    )
  }
  if (kind.kind === 'wallet' && slug !== null) return <WalletAdvice />
  const sentence = {
    'changed-meanwhile': 'Somebody else changed this meanwhile. Load it again; what you typed stays here until then.',
    'not-permitted': slug === null ? undefined : 'An owner of the workspace can give you the right, or do it for you.',
  }[kind.kind as 'not-permitted']
  return sentence === undefined ? null : <p className="dimmed">{sentence}</p>
}
