import { Autocomplete, Button, Fieldset, Select } from '@mantine/core'
import { otherFamilies } from '@ratchet/contracts/family-rules'
import { listSegments } from '@ratchet/contracts/segments'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { familyText } from '../alias-words.ts'
import styles from '../aliases.module.css'
import type { FieldsProps } from './fields-props.ts'

interface FamilyRulesProps extends FieldsProps {
  readonly models: readonly string[]
}

const inSplit = 'In the split'

/** Prompt families that one model answers outside of the split. */
export function FamilyRules({ models, values, change, errors, isOff }: FamilyRulesProps): ReactNode {
  const segments = useEndpoint(listSegments, { query: { limit: 100 } }).data?.data ?? []
  const { family_rules: rules } = values
  const labels = new Map(segments.flatMap(({ segment, label }) => (label === '' ? [] : [[segment, label] as const])))
  const ids = [...new Set([...segments.map(({ segment }) => segment), 'none', ...rules.map((rule) => rule.segment)])]
  const free = [...ids.filter((id) => id !== otherFamilies), otherFamilies].filter(
    (id) => !rules.some(({ segment }) => segment === id),
  )
  const set = (index: number, changed: Partial<(typeof rules)[number]>) =>
    change({ family_rules: rules.map((rule, place) => (place === index ? { ...rule, ...changed } : rule)) })
  const [next] = free
  return (
    <Fieldset legend="Prompt families" disabled={isOff}>
      <div className={styles.stack}>
        <p className={`dimmed ${styles.line}`}>
          A family without a rule takes part in the split. A rule gives it one model, such as the target for a family
          that must not be tried on the canary. A gate adds a rule when it takes a family back.
        </p>
        {rules.map(({ segment, model }, index) => (
          <div key={segment} className={styles.rule}>
            <Select
              aria-label={`Family of rule ${index + 1}`}
              data={[segment, ...free].map((value) => ({ value, label: familyText(value, labels) }))}
              allowDeselect={false}
              value={segment}
              onChange={(value) => value !== null && set(index, { segment: value })}
            />
            <Autocomplete
              aria-label={`Model of rule ${index + 1}`}
              data={models}
              placeholder={inSplit}
              limit={50}
              value={model}
              onChange={(value) => set(index, { model: value })}
            />
            <Button
              variant="subtle"
              aria-label={`Remove rule ${index + 1}`}
              onClick={() => change({ family_rules: rules.filter((_, place) => place !== index) })}
            >
              Remove
            </Button>
          </div>
        ))}
        {errors.family_rules !== undefined && <p role="alert">{errors.family_rules}</p>}
        {next !== undefined && (
          <div>
            <Button
              variant="default"
              onClick={() => change({ family_rules: [...rules, { segment: next, model: values.target_model }] })}
            >
              Add a rule
            </Button>
          </div>
        )}
      </div>
    </Fieldset>
  )
}
