import type { RoundEvidence } from '@ratchet/contracts/review-rounds'
import type { ReactNode } from 'react'
import { StateLabel } from '../../kit/state-mark.tsx'
import { RateInterval } from '../../pictures/rate-interval.tsx'
import { sideStateOf, trustBar, trustStateOf } from '../../pictures/trust-state.ts'
import styles from './review.module.css'

interface EvidencePictureProps {
  readonly evidence: RoundEvidence
  readonly isSmall?: boolean
}

/** What the grades of a round say about its judge so far. */
export function EvidencePicture({ evidence, isSmall = false }: EvidencePictureProps): ReactNode {
  const { tpr, tnr, tpr_ci: tprCi, tnr_ci: tnrCi, trust } = evidence
  const sides = [
    ['Fails found', tpr, tprCi],
    ['Passes kept', tnr, tnrCi],
  ] as const
  return (
    <div className={styles.evidence} data-small={isSmall}>
      {!isSmall && (
        <p className={styles.line}>
          <StateLabel state={trustStateOf[trust]}>{trust}</StateLabel>
          <span className="dimmed">by the grades of this round; no calibration yet</span>
        </p>
      )}
      {sides.map(([label, rate, interval]) => (
        <div key={label} className={styles.side}>
          <span className="dimmed">{label}</span>
          <RateInterval
            label={label}
            rate={rate}
            interval={interval}
            bar={trustBar}
            state={sideStateOf(interval, 1)}
            isSmall={isSmall}
          />
        </div>
      ))}
    </div>
  )
}
