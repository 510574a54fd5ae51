import { Button } from '@mantine/core'
import { distillDataset } from '@ratchet/contracts/dataset-distill'
import { listDatasets } from '@ratchet/contracts/datasets'
import { listModels } from '@ratchet/contracts/models'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AboveList } from '../../../kit/above.tsx'
import { Column, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { AnswersStep, TeacherStep } from './distill-steps.tsx'
import { bodyOf, type DistillValues, missingText, newDistillValues } from './distill-values.ts'

const route = getRouteApi('/w/$slug/datasets/distill')

/** A dataset of a teacher's answers. */
export function DistillPage(): ReactNode {
  const { slug } = route.useParams()
  const navigate = useNavigate({ from: '/w/$slug/datasets/distill' })
  const [values, setValues] = useState<DistillValues>(newDistillValues)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const models = useEndpoint(listModels)
  const act = useAct(distillDataset, {
    changes: [listDatasets],
    onDone: ({ id }) => void navigate({ to: '/w/$slug/datasets/$id', params: { slug, id } }),
  })
  const change = (changed: Partial<DistillValues>) => {
    if (!act.isPending) act.reset()
    setValues((before) => ({ ...before, ...changed }))
  }
  const teachers = (models.data?.data ?? []).filter(({ capabilities }) => capabilities.includes('chat'))
  const needsTerms = teachers.some(({ id, outputs_trainable: may }) => id === values.teacher && !may)
  const missing = missingText(values, needsTerms)
  const mayStart = reason === null && missing === null && !act.isPending
  const start = () => {
    if (mayStart) act.mutate({ body: bodyOf(values) })
  }
  useKey('submit', start, { enabled: mayStart })
  const param = act.error instanceof ApiError ? act.error.param : null
  const errorAt = (field: string) => (param === field ? act.error?.message : undefined)
  const step = { values, change, errorAt }
  return (
    <Page
      title="A teacher's answers"
      lead="A good model answers prompts, once each, and a judge keeps what passes: examples for a smaller model."
      above={<AboveList of="datasets" />}
    >
      <Column>
        {models.error && <ErrorState error={models.error} onRetry={() => void models.refetch()} />}
        <TeacherStep {...step} teachers={teachers.map(({ id }) => id)} needsTerms={needsTerms} />
        <AnswersStep {...step} />
        {act.error !== null && <ErrorState error={act.error} />}
        <div>
          {missing !== null && <p className="dimmed">{missing}</p>}
          <NotPermitted reason={reason}>
            {(disabled) => (
              <Button disabled={disabled || !mayStart} loading={act.isPending} onClick={start}>
                Ask the teacher
              </Button>
            )}
          </NotPermitted>
        </div>
      </Column>
    </Page>
  )
}
