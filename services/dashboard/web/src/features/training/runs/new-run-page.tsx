import { Button } from '@mantine/core'
import { createGrpoRun, estimateGrpoRun, listGrpoRuns } from '@ratchet/contracts/grpo'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { usePostedRead } from '../../../api/use-posted-read.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AboveList } from '../../../kit/above.tsx'
import { Card, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import styles from '../training.module.css'
import { RunEstimate } from './run-estimate.tsx'
import { ModelFields, SettingFields } from './run-fields.tsx'
import { bodyOf, missingText, newRunValues, pricedOf, type RunValues } from './run-values.ts'

const route = getRouteApi('/w/$slug/training/runs/new')

/** A new run whose reward is one judge, with what it takes before it is started. */
export function NewRunPage(): ReactNode {
  const { slug } = route.useParams()
  const navigate = useNavigate({ from: '/w/$slug/training/runs/new' })
  const [values, setValues] = useState<RunValues>(newRunValues)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const priced = reason === null ? pricedOf(values) : null
  const estimate = usePostedRead(estimateGrpoRun, priced)
  const act = useAct(createGrpoRun, {
    changes: [listGrpoRuns],
    onDone: ({ id }) => void navigate({ to: '/w/$slug/training/runs/$id', params: { slug, id } }),
  })
  const change = (changed: Partial<RunValues>) => {
    if (!act.isPending) act.reset()
    setValues((before) => ({ ...before, ...changed }))
  }
  const body = bodyOf(values)
  const isEstimated = estimate.isSettled && estimate.isSuccess && !estimate.isPlaceholderData
  const mayStart = reason === null && body !== null && isEstimated && !act.isPending
  const start = () => {
    if (body !== null && mayStart) act.mutate({ body })
  }
  useKey('submit', start, { enabled: mayStart })
  const refused = act.error ?? (priced === null ? null : estimate.error)
  const errorAt = (field: string) =>
    refused instanceof ApiError && refused.param?.startsWith(field) ? refused.message : undefined
  const step = { values, change, errorAt }
  return (
    <Page
      title="New run"
      lead="A model answers, a proven judge rewards the answers, and the model learns. What it takes is shown before it starts. Rewards of several judges, of functions or of tools are for the API."
      above={<AboveList of="training/runs" />}
    >
      <div className={styles.parts}>
        <ModelFields {...step} />
        <Card title="2. Settings and cost">
          <div className={styles.parts}>
            <SettingFields {...step} />
            {priced !== null && refused === null && estimate.data !== undefined && (
              <div style={{ opacity: isEstimated ? 1 : 0.6 }} aria-busy={!isEstimated}>
                <RunEstimate estimate={estimate.data} />
              </div>
            )}
            {priced !== null && refused === null && estimate.data === undefined && (
              <p className="dimmed">The prompts are being read.</p>
            )}
          </div>
        </Card>
        {refused !== null && <ErrorState error={refused} />}
        <div>
          <NotPermitted reason={reason ?? missingText(values)}>
            {(disabled) => (
              <Button disabled={disabled || !mayStart} loading={act.isPending} onClick={start}>
                Start the run
              </Button>
            )}
          </NotPermitted>
        </div>
      </div>
    </Page>
  )
}
