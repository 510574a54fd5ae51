import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiError, UnreachableError } from '../api/api-error.ts'
import { Card } from '../kit/page.tsx'
import { Progress } from '../kit/progress.tsx'
import { StateLabel, states } from '../kit/state-mark.tsx'
import { EmptyState } from '../kit/states/empty-state.tsx'
import { ErrorState } from '../kit/states/error-state.tsx'
import { NotPermitted } from '../kit/states/not-permitted.tsx'
import { Notice } from '../kit/states/notice.tsx'
import { RowsSkeleton } from '../kit/states/skeletons.tsx'

function failure(status: number, code: string, message: string, details = {}): ApiError {
  return new ApiError(message, { status, code, param: null, details, requestId: 'req_01ab', retryAfter: 20 })
}

const errors = [
  failure(402, 'insufficient_balance', 'The wallet covers 0.4 of the usual hold.'),
  failure(403, 'insufficient_permissions', 'Only owners and admins can do this.'),
  failure(404, 'not_found', 'There is no such judge.'),
  failure(412, 'precondition_failed', 'The evidence is missing.', { checks: ['No eval compared old and new.'] }),
  failure(429, 'rate_limit_exceeded', 'Too many requests.'),
  failure(503, 'service_unavailable', 'The service restarts.'),
  new UnreachableError(),
]

export function StateSection(): ReactNode {
  return (
    <>
      <Card title="States">
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: 16 }}>
          {states.map((state) => (
            <StateLabel key={state} state={state}>
              {state}
            </StateLabel>
          ))}
        </div>
      </Card>
      <div style={{ display: 'grid', gap: 8 }}>
        {states.map((state) => (
          <Notice key={state} state={state} action={<Button variant="default">Do it</Button>}>
            A sentence about something that is {state}.
          </Notice>
        ))}
      </div>
      {errors.map((error) => (
        <ErrorState key={error.message} error={error} onRetry={() => undefined} sinceMs={0} />
      ))}
      <EmptyState title="No keys yet" action={<Button>Create a key</Button>}>
        A program needs a key to send requests.
      </EmptyState>
      <Card title="Not permitted">
        <NotPermitted reason="Only owners can do this.">
          {(disabled) => <Button disabled={disabled}>Invite a person</Button>}
        </NotPermitted>
      </Card>
      <Card title="Progress and loading">
        <Progress label="Calibration" done={37} total={120} detail="$0.42" />
        <Progress label="Scan" done={37} total={null} />
        <RowsSkeleton rows={2} />
      </Card>
    </>
  )
}
