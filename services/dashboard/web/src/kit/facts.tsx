import type { ReactNode } from 'react'
import styles from './facts.module.css'

interface FactsProps {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}

/** Names and values below each other. */
export function Facts({ facts }: FactsProps): ReactNode {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
