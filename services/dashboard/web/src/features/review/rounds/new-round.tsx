import { Button, Group, Modal, NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { Criterion } from '@ratchet/contracts/criteria'
import { listRounds, openRound } from '@ratchet/contracts/review-rounds'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { useEstimate } from '../../../api/use-estimate.ts'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count, countOf } from '../../../kit/numbers.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { toast } from '../../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import { hopeSentence } from './hope.ts'
import { FailingSegments, PopulationFields } from './population-fields.tsx'
import { firstValues, RoundValues, roundBodyOf } from './round-values.ts'
import { usePopulationFailShare } from './use-fail-share.ts'

interface NewRoundProps {
  readonly judges: readonly Criterion[]
  readonly chosen: string | undefined
  readonly onClose: () => void
}

/** What a round costs and what it can hope for, before it is opened. */
export function NewRound({ judges, chosen, onClose }: NewRoundProps): ReactNode {
  return (
    <Modal opened onClose={onClose} title="New round" size="lg">
      <RoundForm judges={judges} chosen={chosen} onClose={onClose} />
    </Modal>
  )
}

const shares = [
  ['double_percent', 'Two people', 'Per cent that two people grade.'],
  ['again_percent', 'Own again', 'Per cent that the same person grades again.'],
  ['known_percent', 'Known', 'Per cent that was settled before.'],
] as const

function RoundForm({ judges, chosen, onClose }: NewRoundProps): ReactNode {
  const usable = judges.filter(({ status }) => status !== 'retired')
  const form = useContractForm(RoundValues, { ...firstValues, criterion_id: chosen ?? '' })
  const only = usable.length === 1 ? usable[0]?.id : undefined
  const choose = useEffectEvent((id: string) => {
    if (form.values.criterion_id === '') form.setFieldValue('criterion_id', id)
  })
  // The judges may arrive after the dialog has opened.
  useEffect(() => {
    if (only !== undefined) choose(only)
  }, [only])
  const act = useAct(openRound, {
    changes: [listRounds],
    onDone: () => {
      onClose()
      toast('The round is opened. The judge gives its verdicts first.')
    },
  })
  const send = form.onSubmit((values) =>
    act.mutate({ body: roundBodyOf(values) }, { onError: (error) => showErrorAt(form, error) }),
  )
  const options = usable.map(({ id, name, unit }) => ({
    value: id,
    unit,
    label: unit === 'trace' ? `${name} (runs)` : name,
  }))
  const unit = usable.find(({ id }) => id === form.values.criterion_id)?.unit ?? 'request'
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <Select
          label="Judge"
          data={options}
          data-autofocus
          required
          searchable
          {...form.getInputProps('criterion_id')}
        />
        <Select
          label="Challenger"
          description="Another judge, best with a model of another family. It shows where the first one may be wrong, which saves about a third of the grades."
          data={options.filter((each) => each.value !== form.values.criterion_id && each.unit === unit)}
          clearable
          {...form.getInputProps('challenger_id')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={12}>
          <NumberInput label="Days" min={1} max={90} {...form.getInputProps('days')} />
          <NumberInput
            label="Size of the frame"
            min={10}
            max={unit === 'trace' ? 2_000 : 10_000}
            thousandSeparator=","
            {...form.getInputProps('frame_rows')}
          />
          <PopulationFields form={form} />
          <TextInput
            label="Tags left out"
            description="With commas between them."
            {...form.getInputProps('exclude_tags')}
          />
        </SimpleGrid>
        <FailingSegments form={form} />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing={12}>
          {shares.map(([name, label, description]) => (
            <NumberInput
              key={name}
              label={label}
              description={description}
              suffix=" %"
              min={0}
              max={50}
              {...form.getInputProps(name)}
            />
          ))}
        </SimpleGrid>
        <NumberInput label="At most" prefix="$" min={0} decimalScale={6} {...form.getInputProps('max_cost_usd')} />
        <Price values={form.values} noun={unit === 'trace' ? 'run' : 'exchange'} />
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={act.isPending}>
            Open the round
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Price({ values, noun }: { readonly values: RoundValues; readonly noun: string }): ReactNode {
  const isComplete = RoundValues.safeParse(values).success
  const estimate = useEstimate(openRound, { body: { ...roundBodyOf(values), dry_run: true } }, { enabled: isComplete })
  const failShare = usePopulationFailShare(values)
  if (values.criterion_id === '') return null
  if (estimate.error) return <ErrorState error={estimate.error} onRetry={() => void estimate.refetch()} />
  const reply = estimate.data
  return (
    <div aria-live="polite" aria-busy={!estimate.isSettled}>
      {reply !== undefined && reply.object === 'review.round_estimate' && (
        <p style={{ margin: 0 }}>
          {countOf(reply.verdicts, 'verdict')} on {countOf(reply.frame_rows, noun)} of {count(reply.matched)}:{' '}
          <strong>{moneyText(microOfUsd(reply.judge_cost_usd))}</strong>
          {values.challenger_id !== null && (
            <>
              {' '}
              and <strong>{moneyText(microOfUsd(reply.challenger_cost_usd))}</strong> for the challenger
            </>
          )}
          . Grading itself costs nothing.
        </p>
      )}
      <p className="dimmed" style={{ margin: '4px 0 0' }}>
        {hopeSentence(failShare)}
      </p>
    </div>
  )
}
