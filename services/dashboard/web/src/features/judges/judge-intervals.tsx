import type { Criterion } from '@ratchet/contracts/criteria'
import type { ReactNode } from 'react'
import { RateInterval } from '../../pictures/rate-interval.tsx'
import { sideStateOf, trustBar } from '../../pictures/trust-state.ts'
import { boundsIfTheyAgree } from './next-grades.ts'

type Measured = Pick<Criterion, 'tpr' | 'tnr' | 'tpr_ci' | 'tnr_ci' | 'fail_grades_needed' | 'pass_grades_needed'>

interface JudgeIntervalProps {
  readonly judge: Measured
  readonly side: 'tpr' | 'tnr'
  readonly ceiling?: number | null | undefined
  /** Whether the picture also shows where the interval will be if the next 20 grades agree. */
  readonly looksAhead?: boolean
  readonly isSmall?: boolean
}

/** One rate of a judge with its interval against the bar. */
export function JudgeInterval(props: JudgeIntervalProps): ReactNode {
  const { judge, side, ceiling, looksAhead = false, isSmall = false } = props
  const interval = side === 'tpr' ? judge.tpr_ci : judge.tnr_ci
  const needed = side === 'tpr' ? judge.fail_grades_needed : judge.pass_grades_needed
  return (
    <RateInterval
      label={side === 'tpr' ? 'Fails found' : 'Passes kept'}
      rate={judge[side]}
      interval={interval}
      bar={trustBar}
      state={sideStateOf(interval, needed)}
      ceiling={ceiling}
      forecast={looksAhead ? boundsIfTheyAgree(judge[side], interval) : undefined}
      isSmall={isSmall}
    />
  )
}
