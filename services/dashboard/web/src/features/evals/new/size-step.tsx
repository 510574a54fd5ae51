import { NumberInput, Slider, Stack, Text } from '@mantine/core'
import { readSessionWallet } from '@ratchet/contracts/billing'
import type { EvalEstimate } from '@ratchet/contracts/eval-plan'
import { smallestProvable } from '@ratchet/stats/smallest-provable'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count, countOf } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import styles from '../evals.module.css'
import { hasOneAnswer } from './eval-values.ts'
import { covers, estimateOf } from './spend.ts'
import type { StepProps } from './step-props.ts'

interface SizeStepProps extends StepProps {
  readonly estimate: UseQueryResult<EvalEstimate> & { readonly isSettled: boolean }
  /** Whether all is chosen, so that there is an estimate. */
  readonly isComplete: boolean
  /** US dollars as text. */
  readonly cap: string
}

const bounds = { min: 5, max: 500 } as const

export function SizeStep({ values, change, estimate, isComplete, cap }: SizeStepProps): ReactNode {
  const { samples, repetitions } = values
  const isOne = hasOneAnswer(values)
  const { data, error, isSettled, isFetching, refetch } = estimate
  const isOld = !isSettled || isFetching
  return (
    <Card title="5. Size and money">
      <Stack gap={16}>
        <div>
          <Text fw={500} id="samples-label">
            {countOf(samples, 'prompt')}
          </Text>
          <Slider
            {...bounds}
            step={5}
            value={samples}
            label={null}
            thumbLabel="Number of prompts"
            maw={560}
            onChange={(chosen) => change({ samples: chosen })}
          />
          <Text c="dimmed" mt={4}>
            Without ties this proves a win rate from {provable(samples)} on, if the candidate is better.
          </Text>
        </div>
        <NumberInput
          label="Answers for each prompt"
          description={
            isOne ? 'One for runs, and when the eval may stop early.' : 'Repetitions show how much answers vary.'
          }
          min={1}
          max={5}
          maw={260}
          disabled={isOne}
          value={isOne ? 1 : repetitions}
          onChange={(chosen) => change({ repetitions: Number(chosen) || 1 })}
        />
        {!isComplete && <Text c="dimmed">Choose prompts, models and a judge to see what it costs.</Text>}
        {isComplete && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
        {isComplete && data && (
          <div style={{ opacity: isOld ? 0.6 : 1 }} aria-busy={isOld}>
            <Takes estimate={data} asked={samples} />
          </div>
        )}
        <NumberInput
          label="At most"
          description="The eval ends before it costs more. A fifth above the estimate and the longest possible answer, unless you change it."
          prefix="$"
          decimalScale={6}
          min={0.000001}
          hideControls
          maw={260}
          value={cap}
          onChange={(chosen) => change({ maxCost: String(chosen) })}
        />
      </Stack>
    </Card>
  )
}

/** The smallest win rate that a number of samples can prove, in per cent with one decimal. */
function provable(samples: number): string {
  return `${((0.5 + smallestProvable(samples)) * 100).toFixed(1)} %`
}

interface TakesProps {
  readonly estimate: EvalEstimate
  readonly asked: number
}

function Takes({ estimate, asked }: TakesProps): ReactNode {
  const { plan, sample_count: used } = estimate
  const figures: readonly (readonly [string, ReactNode])[] = [
    ['Answers', `${moneyText(microOfUsd(estimate.estimated_cost_usd))} for ${countOf(plan.model_calls, 'call')}`],
    ['Judging', `${moneyText(microOfUsd(estimate.judge_cost_usd))} for at most ${countOf(plan.judge_calls, 'call')}`],
    ['Together', <strong key="sum">{moneyText(estimateOf(estimate))}</strong>],
    ['Time', plan.minutes === null ? 'not known yet' : minutesText(plan.minutes)],
    [
      'To answer the question',
      plan.samples_needed === null ? 'no number is enough' : `about ${countOf(plan.samples_needed, 'sample')}`,
    ],
  ]
  return (
    <Stack gap={10}>
      <dl className={styles.figures} aria-label="What the eval takes">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <Available estimate={estimate} />
      </dl>
      {used < asked && (
        <Notice state="open">
          Only {count(used)} distinct prompts match, so the eval has {count(used)} samples and proves a win rate from{' '}
          {provable(used)} on.
        </Notice>
      )}
      {plan.answered_by_this_eval === false && plan.samples_needed !== null && (
        <Notice state="open">
          These samples answer the question only if the difference is larger than expected (win rate{' '}
          {plan.expected_win_rate}).
        </Notice>
      )}
    </Stack>
  )
}

/** What the wallet has; only owners and admins may read it. */
function Available({ estimate }: { readonly estimate: EvalEstimate }): ReactNode {
  const mayRead = reasonAgainst('owner_admin', useWorkspace()) === null
  const wallet = useEndpoint(readSessionWallet, {}, { enabled: mayRead, topics: ['wallet'] })
  if (!wallet.data) return null
  const { available_nano: available } = wallet.data
  const isEnough = covers(available, estimateOf(estimate))
  return (
    <div>
      <dt>Wallet</dt>
      <dd>
        {moneyText(available, { unit: 'nano' })}
        {!isEnough && ', which is not enough'}
      </dd>
    </div>
  )
}

function minutesText(minutes: number): string {
  return minutes < 1 ? 'less than a minute' : `about ${countOf(Math.ceil(minutes), 'minute')}`
}
