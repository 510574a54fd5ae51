import { NumberInput } from '@mantine/core'
import { maxReplicas } from '@ratchet/contracts/dedicated-body'
import type { ReactNode } from 'react'
import styles from '../training.module.css'
import type { ScaleValues } from './endpoint-values.ts'

interface ScaleFieldsProps {
  readonly values: ScaleValues
  readonly change: (changed: Partial<ScaleValues>) => void
  /** What the server says about a field of the body. */
  readonly errorAt: (field: string) => string | undefined
}

/** How many replicas run, when they end, and what an hour may cost. */
export function ScaleFields({ values, change, errorAt }: ScaleFieldsProps): ReactNode {
  const whole = (key: 'minReplicas' | 'maxReplicas' | 'targetConcurrency', min: number, max: number) => ({
    min,
    max,
    allowDecimal: false,
    clampBehavior: 'strict' as const,
    value: values[key],
    error: errorAt(key),
    onChange: (chosen: string | number) => typeof chosen === 'number' && change({ [key]: chosen }),
  })
  const optional = (key: 'sleepMinutes' | 'maxHourlyCostUsd', field: string) => ({
    allowNegative: false,
    value: values[key],
    error: errorAt(field),
    onChange: (chosen: string | number) => change({ [key]: String(chosen) }),
  })
  return (
    <div className={styles.fields}>
      <NumberInput
        label="Replicas at least"
        description="They run also when nobody asks. With 0 it can scale to zero."
        {...whole('minReplicas', 0, maxReplicas)}
      />
      <NumberInput
        label="Replicas at most"
        description="More are added while there are more requests than they are for."
        {...whole('maxReplicas', 1, maxReplicas)}
      />
      <NumberInput
        label="Scale to zero after"
        description="Without a request. Empty: one replica always runs."
        suffix=" min"
        min={5}
        max={1_440}
        disabled={values.minReplicas > 0}
        {...optional('sleepMinutes', 'scaleToZeroAfterSeconds')}
      />
      <NumberInput
        label="Requests at the same time"
        description="What one replica is for."
        {...whole('targetConcurrency', 1, 1_024)}
      />
      <NumberInput
        label="An hour costs at most"
        description="It stops before an hour costs more. Empty: only the wallet limits it."
        prefix="$"
        decimalScale={6}
        hideControls
        {...optional('maxHourlyCostUsd', 'maxHourlyCostUsd')}
      />
    </div>
  )
}
