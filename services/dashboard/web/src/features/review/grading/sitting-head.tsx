import { Anchor } from '@mantine/core'
import type { ReviewRoundDetails } from '@ratchet/contracts/review-rounds'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { KeyCaps } from '../../../kit/key-caps.tsx'
import { count } from '../../../kit/numbers.ts'
import { StateMark } from '../../../kit/state-mark.tsx'
import { duration } from '../../../kit/time.ts'
import { useForecast } from '../forecast/use-forecast.ts'
import styles from './grading.module.css'
import { tallyOf } from './sitting.ts'
import type { useSitting } from './use-sitting.ts'

interface SittingHeadProps {
  readonly round: ReviewRoundDetails
  /** Graded items of the round when the sitting began. */
  readonly gradedBefore: number
  readonly work: ReturnType<typeof useSitting>
}

/** How far the round is, and what the person did. It says nothing that depends on the judge's verdicts of these items. */
export function SittingHead({ round, gradedBefore, work }: SittingHeadProps): ReactNode {
  const slug = useWorkspaceSlug()
  const { pass, fail, unsure } = tallyOf(work.sitting)
  const expected = useForecast(round.strata)?.expected
  const perItem = round.graded === 0 ? null : round.shown_ms / round.graded
  const done = gradedBefore + pass + fail + unsure
  return (
    <div className={styles.head}>
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/review" params={{ slug }} />}>
        All rounds
      </Anchor>
      <span>
        {count(done)} graded{expected ? ` of about ${count(round.graded + expected)}` : ''}
      </span>
      <span>
        this sitting: {count(pass)} pass, {count(fail)} fail{unsure > 0 ? `, ${count(unsure)} not sure` : ''}
      </span>
      {expected && perItem !== null ? <span>about {duration(expected * perItem)} left</span> : null}
      <span className={styles.blind}>
        <StateMark state="proven" size={10} /> blind
      </span>
      <span className={styles.keys}>
        <KeyCaps keys="Shift+?" /> keys
      </span>
    </div>
  )
}
