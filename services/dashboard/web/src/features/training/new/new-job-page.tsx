import { Button } from '@mantine/core'
import { createFineTuningJob, estimateFineTuningJob, listFineTuningJobs } from '@ratchet/contracts/fine-tuning'
import { listTrainableModels } from '@ratchet/contracts/fine-tuning-models'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePostedRead } from '../../../api/use-posted-read.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AboveList } from '../../../kit/above.tsx'
import { Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { CostStep } from './cost-step.tsx'
import { DataStep } from './data-step.tsx'
import { bodyOf, type JobBody, type JobValues, missingIn, newJobValues, problemsIn } from './job-values.ts'
import { ModelStep } from './model-step.tsx'
import { MoreSettings } from './more-settings.tsx'
import { problemsOf } from './refusal.ts'

const route = getRouteApi('/w/$slug/training/jobs/new')

/** A new fine-tuning job: model, data, settings, and what it takes before it is started. */
export function NewJobPage(): ReactNode {
  const { slug } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/training/jobs/new' })
  const [values, setValues] = useState<JobValues>(() => ({
    ...newJobValues,
    model: search.model ?? '',
    datasetId: search.dataset_id ?? '',
  }))
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const models = useEndpoint(listTrainableModels)
  const body = bodyOf(values)
  const estimate = usePostedRead(estimateFineTuningJob, pricedOf(body))
  const act = useAct(createFineTuningJob, {
    changes: [listFineTuningJobs],
    onDone: ({ id }) => void navigate({ to: '/w/$slug/training/jobs/$id', params: { slug, id } }),
  })
  const change = (changed: Partial<JobValues>) => {
    // What was refused is another job now.
    if (!act.isPending) act.reset()
    setValues((before) => ({ ...before, ...changed }))
  }
  const isEstimated = estimate.isSettled && estimate.isSuccess && !estimate.isPlaceholderData
  const mayStart = reason === null && body !== null && isEstimated && !act.isPending
  const start = () => {
    if (body !== null && mayStart) act.mutate({ body })
  }
  useKey('submit', start, { enabled: mayStart })
  const refused = problemsOf(act.error)
  const problems = {
    ...(body === null ? {} : problemsOf(estimate.error)),
    ...refused,
    ...problemsIn(values),
  }
  const missing = missingIn(values)
  const waits = missing.length === 0 ? null : `Choose ${missing.join(' and ')}.`
  const model = models.data?.find(({ id }) => id === values.model) ?? null
  const step = { values, change, problems, model }
  return (
    <Page
      title="New job"
      lead="A model learns from your examples. What the job takes is shown before it starts."
      above={<AboveList of="training/jobs" />}
    >
      <ModelStep {...step} models={models} />
      <DataStep {...step} />
      <MoreSettings {...step} />
      <CostStep {...step} estimate={estimate} isComplete={body !== null}>
        {act.error && Object.keys(refused).length === 0 && <ErrorState error={act.error} />}
        <div>
          <NotPermitted reason={reason ?? waits}>
            {(disabled) => (
              <Button disabled={disabled || !mayStart} loading={act.isPending} onClick={start}>
                Start the job
              </Button>
            )}
          </NotPermitted>
        </div>
      </CostStep>
    </Page>
  )
}

/** What the estimate depends on: everything but the name. */
function pricedOf(body: JobBody | null): JobBody | null {
  if (body === null) return null
  const { suffix: _suffix, ...priced } = body
  return priced
}
