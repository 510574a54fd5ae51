import { Checkbox, MultiSelect, SegmentedControl, Select, Stack, Textarea } from '@mantine/core'
import { type Criterion, listCriteria } from '@ratchet/contracts/criteria'
import { listModels } from '@ratchet/contracts/models'
import type { ReactNode } from 'react'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { type State, StateLabel } from '../../../kit/state-mark.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { StepProps } from './step-props.ts'

const maxPanel = 3

const kinds = [
  { value: 'criterion', label: 'A judge' },
  { value: 'rubric', label: 'A description' },
]

export function JudgeStep({ values, change }: StepProps): ReactNode {
  const { judgeKind, source, comparesWithStored } = values
  return (
    <Card title="3. Judge">
      <Stack gap={12}>
        <SegmentedControl
          aria-label="Kind of judge"
          data={kinds}
          value={judgeKind}
          maw={320}
          onChange={(kind) => change({ judgeKind: kind as typeof judgeKind })}
        />
        {judgeKind === 'criterion' ? (
          <CriterionChoice values={values} change={change} />
        ) : (
          <Described values={values} change={change} />
        )}
        {source !== 'runs' && (
          <Checkbox
            label="Compare with the stored answer"
            description="The better answer is the one nearer to the answer that is stored with the prompt."
            checked={comparesWithStored}
            onChange={({ currentTarget }) => change({ comparesWithStored: currentTarget.checked })}
          />
        )}
      </Stack>
    </Card>
  )
}

const trusts: Record<Criterion['trust'], readonly [string, State]> = {
  trustworthy: ['trustworthy', 'proven'],
  'under-measured': ['not measured enough', 'open'],
  borderline: ['at the bar', 'borderline'],
  misaligned: ['disagrees with people', 'wrong'],
  unmeasured: ['not measured', 'none'],
}

function CriterionChoice({ values, change }: StepProps): ReactNode {
  const judges = useList(listCriteria, { query: { status: 'draft' } })
  const usable = judges.rows.filter(({ unit }) => values.source === 'runs' || unit === 'request')
  const chosen = usable.find(({ id }) => id === values.criterionId)
  return (
    <>
      {judges.error && <ErrorState error={judges.error} onRetry={() => void judges.refetch()} />}
      <Select
        label="Judge"
        searchable
        maw={480}
        placeholder={judges.isPending ? 'Loading' : usable.length === 0 ? 'There is no judge yet' : 'Choose'}
        data={usable.map((each) => ({ value: each.id, label: `${each.name} · ${trusts[each.trust][0]}` }))}
        value={chosen?.id ?? null}
        onChange={(id) => change({ criterionId: id ?? '' })}
        comboboxProps={{ withinPortal: false }}
      />
      {chosen && <TrustNotice judge={chosen} />}
    </>
  )
}

function TrustNotice({ judge }: { readonly judge: Criterion }): ReactNode {
  const [word, state] = trusts[judge.trust]
  const consequence = judge.can_act
    ? 'Its result counts as evidence for aliases.'
    : `Its result is no evidence for aliases${judge.cannot_act_reason === null ? '' : `: ${judge.cannot_act_reason}`}.`
  return (
    <Notice state={state}>
      <StateLabel state={state}>{word}</StateLabel> · {judge.judge_model} · {consequence.replace(/\.\.$/, '.')}
    </Notice>
  )
}

function Described({ values, change }: StepProps): ReactNode {
  const models = useEndpoint(listModels)
  const { judgeModels, rubric } = values
  return (
    <>
      <FailedReads of={[models]} />
      <Textarea
        label="A good answer"
        description="The judge prefers the answer that fits this better."
        autosize
        minRows={3}
        maxRows={12}
        maw={640}
        value={rubric}
        onChange={({ currentTarget }) => change({ rubric: currentTarget.value })}
      />
      <MultiSelect
        label="Model of the judge"
        description="Two or three are a panel, which decides by majority."
        searchable
        maw={480}
        data={models.data?.data.map(({ id }) => id) ?? []}
        value={[...judgeModels]}
        maxValues={maxPanel}
        onChange={(chosen) => change({ judgeModels: chosen })}
        comboboxProps={{ withinPortal: false }}
      />
      <Notice state="none">
        No calibration has measured a description, so its result is no evidence for aliases, and gates require a
        measured judge unless that is switched off.
      </Notice>
    </>
  )
}
