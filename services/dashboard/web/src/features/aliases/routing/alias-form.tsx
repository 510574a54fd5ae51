import { Autocomplete, Fieldset, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import { listModels } from '@ratchet/contracts/models'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import styles from '../aliases.module.css'
import type { AliasValues } from './alias-values.ts'
import { FamilyRules } from './family-rules.tsx'
import type { FieldsProps } from './fields-props.ts'
import { GateFields } from './gate-fields.tsx'

interface AliasFormProps extends FieldsProps {
  readonly isNew?: boolean
}

/** The whole alias: what is not changed is sent as it is. */
export function AliasForm({ isNew = false, ...fields }: AliasFormProps): ReactNode {
  const { values, change, errors, isOff } = fields
  const listed = useEndpoint(listModels)
  const models = listed.data?.data.map(({ id }) => id) ?? []
  const judged = useEndpoint(listCriteria, { query: { status: 'draft', limit: 200 } })
  const judges = judged.data?.data ?? []
  return (
    <div className={styles.fields}>
      <FailedReads of={[listed, judged]} />
      {isNew && (
        <TextInput
          label="Name"
          description="Applications send it as the model. It cannot be changed later."
          required
          value={values.name}
          disabled={isOff}
          error={values.name === '' ? undefined : errors.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      )}
      <ModelField name="target_model" label="Target" models={models} isRequired {...fields} />
      <Textarea
        label="Description"
        autosize
        minRows={1}
        value={values.description}
        disabled={isOff}
        error={errors.description}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <Fieldset legend="Canary" disabled={isOff}>
        <div className={styles.pair}>
          <ModelField name="canary_model" label="Canary" models={models} {...fields} />
          <PercentField name="canary_percent" label="Share of the canary" {...fields} />
          <Select
            label="Split by"
            description="By trace, all requests of one run go to the same model."
            data={[
              { value: 'request', label: 'Request' },
              { value: 'trace', label: 'Trace' },
            ]}
            allowDeselect={false}
            value={values.sticky_by}
            onChange={(sticky) => change({ sticky_by: sticky as AliasValues['sticky_by'] })}
          />
        </div>
      </Fieldset>
      <GateFields judges={judges} {...fields} />
      <FamilyRules models={models} {...fields} />
      <Fieldset legend="Shadow" disabled={isOff}>
        <div className={styles.pair}>
          <ModelField name="shadow_model" label="Shadow" models={models} {...fields} />
          <PercentField name="shadow_percent" label="Share of the shadow" {...fields} />
        </div>
      </Fieldset>
      <Select
        label="Evidence for a new target"
        description="Only an owner can take the need for evidence away."
        data={[
          { value: 'workspace', label: 'As the workspace says' },
          { value: 'yes', label: 'Required' },
          { value: 'no', label: 'Not required' },
        ]}
        allowDeselect={false}
        value={values.require_evidence}
        disabled={isOff}
        onChange={(value) => change({ require_evidence: value as AliasValues['require_evidence'] })}
      />
    </div>
  )
}

interface ModelFieldProps extends FieldsProps {
  readonly name: 'target_model' | 'canary_model' | 'shadow_model'
  readonly label: string
  readonly models: readonly string[]
  readonly isRequired?: boolean
}

function ModelField({ name, label, models, isRequired = false, ...fields }: ModelFieldProps): ReactNode {
  const { values, change, errors, isOff } = fields
  return (
    <Autocomplete
      label={label}
      placeholder={isRequired ? 'A model' : 'None'}
      required={isRequired}
      data={models}
      limit={50}
      value={values[name]}
      disabled={isOff}
      error={values[name] === '' ? undefined : errors[name]}
      onChange={(value) => change({ [name]: value })}
    />
  )
}

interface PercentFieldProps extends FieldsProps {
  readonly name: 'canary_percent' | 'shadow_percent'
  readonly label: string
}

function PercentField({ name, label, values, change, errors }: PercentFieldProps): ReactNode {
  return (
    <NumberInput
      label={label}
      suffix=" %"
      min={0}
      max={100}
      allowDecimal={false}
      value={values[name]}
      error={errors[name]}
      onChange={(value) => change({ [name]: value })}
    />
  )
}
