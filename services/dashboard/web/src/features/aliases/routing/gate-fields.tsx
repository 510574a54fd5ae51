import { Fieldset, NumberInput, Select } from '@mantine/core'
import type { Criterion } from '@ratchet/contracts/criteria'
import type { ReactNode } from 'react'
import styles from '../aliases.module.css'
import type { AliasValues } from './alias-values.ts'
import type { FieldsProps } from './fields-props.ts'

interface GateFieldsProps extends FieldsProps {
  readonly judges: readonly Criterion[]
}

type NumberField =
  | 'margin'
  | 'confidence'
  | 'gate_window_hours'
  | 'gate_min_samples_per_arm'
  | 'error_increase'
  | 'latency_ratio'
  | 'cost_ratio'

interface NumberSpec {
  readonly name: NumberField
  readonly label: string
  readonly suffix: string
  readonly description?: string
}

const rules: readonly NumberSpec[] = [
  {
    name: 'margin',
    label: 'Margin',
    suffix: ' points',
    description: 'The largest drop of the pass rate that is tolerated.',
  },
  { name: 'confidence', label: 'Confidence', suffix: ' %', description: 'At every evaluation of the gate together.' },
  { name: 'gate_window_hours', label: 'Hours to decide', suffix: ' h' },
  { name: 'gate_min_samples_per_arm', label: 'Scored answers before a promotion', suffix: '' },
]

const guards: readonly NumberSpec[] = [
  { name: 'error_increase', label: 'More errors, at most', suffix: ' points' },
  { name: 'latency_ratio', label: 'Slower, at most', suffix: ' times' },
  { name: 'cost_ratio', label: 'Dearer, at most', suffix: ' times' },
]

/** The rule that ends a canary. */
export function GateFields({ judges, ...fields }: GateFieldsProps): ReactNode {
  const { values, change, errors, isOff } = fields
  const judge = judges.find(({ id }) => id === values.gate_criterion_id)
  return (
    <Fieldset legend="Gate" disabled={isOff}>
      <div className={styles.stack}>
        <div className={styles.pair}>
          <Select
            label="Judge of the gate"
            description={judgeText(judge)}
            placeholder="None"
            clearable
            searchable
            data={judges.map(({ id: value, name: label }) => ({ value, label }))}
            value={values.gate_criterion_id === '' ? null : values.gate_criterion_id}
            error={errors.gate_criterion_id}
            onChange={(id) => change({ gate_criterion_id: id ?? '' })}
          />
          <Select
            label="Gate"
            description="By itself it acts only with a judge that is trustworthy."
            data={[
              { value: '', label: 'None' },
              { value: 'recommend', label: 'Recommends' },
              { value: 'auto', label: 'Acts by itself' },
            ]}
            allowDeselect={false}
            value={values.gate_mode}
            error={errors.gate_mode}
            onChange={(mode) => change({ gate_mode: (mode ?? '') as AliasValues['gate_mode'] })}
          />
        </div>
        <div className={styles.pair}>
          {rules.map((spec) => (
            <NumberRow key={spec.name} spec={spec} {...fields} />
          ))}
        </div>
        <div className={styles.pair}>
          {guards.map((spec) => (
            <NumberRow key={spec.name} spec={spec} {...fields} />
          ))}
        </div>
      </div>
    </Fieldset>
  )
}

function judgeText(judge: Criterion | undefined): string {
  if (judge === undefined) return 'It scores the answers of both models.'
  return `${judge.trust}, scores ${judge.online_percent} % of the answers`
}

interface NumberRowProps extends FieldsProps {
  readonly spec: NumberSpec
}

function NumberRow({ spec, values, change, errors }: NumberRowProps): ReactNode {
  const { name, label, suffix, description } = spec
  return (
    <NumberInput
      label={label}
      {...(description === undefined ? {} : { description })}
      suffix={suffix}
      min={0}
      placeholder="Not checked"
      value={values[name]}
      error={errors[name]}
      onChange={(value) => change({ [name]: value })}
    />
  )
}
