import { type ReactNode, useId } from 'react'
import { type CostFacts, costSentence, costShares } from './cost-sentence.ts'
import styles from './picture.module.css'
import { Hatch, Picture } from './picture.tsx'

const height = 26
const bar = { y: 5, height: 16 }

/** What something that runs has cost, against what is held for it, its estimate and its maximum. */
export function CostBar(facts: CostFacts): ReactNode {
  const hatch = useId()
  const { charged, held, estimate, maximum } = costShares(facts)
  return (
    <div>
      <ul className={styles.legend}>
        <Entry label="Charged">
          <rect width="12" height="12" fill="var(--series-1)" />
        </Entry>
        <Entry label="Held">
          <rect x="0.5" y="0.5" width="11" height="11" fill={`url(#${hatch})`} stroke="var(--series-1)" />
        </Entry>
        <Entry label="Estimate">
          <line x1="6" x2="6" y1="0" y2="12" stroke="var(--text)" strokeWidth="2" />
        </Entry>
        {maximum !== null && (
          <Entry label="At most">
            <line x1="6" x2="6" y1="0" y2="12" stroke="var(--state-wrong)" strokeWidth="2" strokeDasharray="3 2" />
          </Entry>
        )}
      </ul>
      <Picture sentence={costSentence(facts)} height={height}>
        {(width) => {
          const at = (share: number) => 1 + share * (width - 2)
          return (
            <>
              <Hatch id={hatch} color="var(--series-1)" />
              <rect {...bar} x={1} width={width - 2} fill="var(--sunken)" />
              <rect {...bar} x={at(charged)} width={at(held) - at(charged)} fill={`url(#${hatch})`} />
              <rect {...bar} x={1} width={at(charged) - 1} fill="var(--series-1)" />
              <line x1={at(estimate)} x2={at(estimate)} y1={0} y2={height} stroke="var(--text)" strokeWidth="2" />
              {maximum !== null && (
                <line
                  x1={at(maximum)}
                  x2={at(maximum)}
                  y1={0}
                  y2={height}
                  stroke="var(--state-wrong)"
                  strokeWidth="2"
                  strokeDasharray="3 2"
                />
              )}
            </>
          )
        }}
      </Picture>
    </div>
  )
}

function Entry({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <li>
      <svg width="12" height="12" aria-hidden="true">
        {children}
      </svg>
      {label}
    </li>
  )
}
