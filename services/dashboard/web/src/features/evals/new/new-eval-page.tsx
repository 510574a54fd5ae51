import { TextInput } from '@mantine/core'
import { estimateEval } from '@ratchet/contracts/eval-plan'
import { createEval, listEvals } from '@ratchet/contracts/evals'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { usePostedRead } from '../../../api/use-posted-read.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AboveList } from '../../../kit/above.tsx'
import { microOfUsd } from '../../../kit/money.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { bodyOf, type EvalValues, missingIn, nameOf, newEvalValues, type PromptSource } from './eval-values.ts'
import { JudgeStep } from './judge-step.tsx'
import { ModelStep } from './model-step.tsx'
import { PromptStep } from './prompt-step.tsx'
import { QuestionStep } from './question-step.tsx'
import { SizeStep } from './size-step.tsx'
import { estimateOf, proposedCap } from './spend.ts'
import { StartBar } from './start-bar.tsx'

const route = getRouteApi('/w/$slug/evals/new')

/** A new eval: prompts, models, judge, question, size and money, and what it takes before it is started. */
export function NewEvalPage(): ReactNode {
  const { slug } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/evals/new' })
  const [values, setValues] = useState<EvalValues>(() => ({
    ...newEvalValues,
    source: (search.source as PromptSource | undefined) ?? (search.dataset_id === undefined ? 'logs' : 'dataset'),
    baseline: search.baseline ?? '',
    candidates: search.candidate === undefined ? [] : [search.candidate],
    criterionId: search.criterion_id ?? '',
  }))
  const change = (changed: Partial<EvalValues>) => setValues((before) => ({ ...before, ...changed }))
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const body = bodyOf(values, search)
  const estimate = usePostedRead(estimateEval, body)
  const cap =
    values.maxCost ??
    (estimate.data === undefined
      ? ''
      : proposedCap(estimateOf(estimate.data), microOfUsd(estimate.data.longest_call_usd)))
  const act = useAct(createEval, {
    changes: [listEvals],
    onDone: ({ id }) => void navigate({ to: '/w/$slug/evals/$id', params: { slug, id }, search: {} }),
  })
  const mayStart = reason === null && body !== null && estimate.isSettled && estimate.isSuccess && !act.isPending
  const start = () => {
    if (body !== null && mayStart) act.mutate({ body: { ...body, max_cost_usd: cap === '' ? null : Number(cap) } })
  }
  useKey('submit', start, { enabled: mayStart })
  const step = { values, change }
  return (
    <Page
      title="New eval"
      lead="Every model answers the same prompts, and the judge compares each pair twice, in both orders."
      above={<AboveList of="evals" />}
    >
      <PromptStep
        {...step}
        search={search}
        estimate={body === null ? undefined : estimate.data}
        onSearch={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ModelStep {...step} />
      <JudgeStep {...step} />
      <QuestionStep {...step} />
      <SizeStep {...step} estimate={estimate} isComplete={body !== null} cap={cap} />
      <Card title="6. Start">
        <TextInput
          label="Name"
          placeholder={missingIn(values, search).length === 0 ? nameOf(values) : 'Made of the models'}
          value={values.name}
          maxLength={200}
          maw={480}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <StartBar
          reason={reason}
          missing={missingIn(values, search)}
          mayStart={mayStart}
          isPending={act.isPending}
          error={act.error}
          onStart={start}
        />
      </Card>
    </Page>
  )
}
