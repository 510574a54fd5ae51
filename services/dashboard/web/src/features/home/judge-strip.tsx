import { type Criterion, listCriteria } from '@ratchet/contracts/criteria'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { rate } from '../../kit/numbers.ts'
import { Card } from '../../kit/page.tsx'
import { StateLabel } from '../../kit/state-mark.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { RateInterval } from '../../pictures/rate-interval.tsx'
import { sideStateOf, trustBar, trustStateOf } from '../../pictures/trust-state.ts'
import styles from './home.module.css'
import { homeReads } from './home-reads.ts'
import { sortedJudges } from './loop-steps.ts'

const maxShown = 8

/** How far each judge is proven: one interval per rate. */
export function JudgeStrip(): ReactNode {
  const criteria = useEndpoint(listCriteria, homeReads.criteria, { topics: ['judges'] })
  return (
    <Loaded query={criteria}>
      {({ data }) => {
        const judges = sortedJudges(data).slice(0, maxShown)
        if (judges.length === 0) return null
        return (
          <Card title="Judges">
            <div className={styles.judges}>
              {judges.map((judge) => (
                <JudgeRow key={judge.id} judge={judge} />
              ))}
            </div>
          </Card>
        )
      }}
    </Loaded>
  )
}

function JudgeRow({ judge }: { readonly judge: Criterion }): ReactNode {
  const { name, trust, tpr, tnr, tpr_ci: tprCi, tnr_ci: tnrCi } = judge
  const needed = { fails: judge.fail_grades_needed, passes: judge.pass_grades_needed }
  return (
    <div className={styles.judge}>
      <div className={styles.judgeName}>
        <strong>{name}</strong>
        <StateLabel state={trustStateOf[trust]}>{trust}</StateLabel>
      </div>
      <div className={styles.side}>
        <span>
          fails found <strong>{tpr !== null && rate(tpr)}</strong>
        </span>
        <RateInterval
          label="Fails found"
          rate={tpr}
          interval={tprCi}
          bar={trustBar}
          state={sideStateOf(tprCi, needed.fails)}
          isSmall
        />
      </div>
      <div className={styles.side}>
        <span>
          passes kept <strong>{tnr !== null && rate(tnr)}</strong>
        </span>
        <RateInterval
          label="Passes kept"
          rate={tnr}
          interval={tnrCi}
          bar={trustBar}
          state={sideStateOf(tnrCi, needed.passes)}
          isSmall
        />
      </div>
    </div>
  )
}
