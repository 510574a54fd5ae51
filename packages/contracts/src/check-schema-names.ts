import {
  CharactersCheck,
  ContainsCheck,
  CriterionCheck,
  CriterionChecks,
  CriterionKind,
  JsonCheck,
  JsonSchemaCheck,
  LengthCheck,
  NoToolCallCheck,
  RegexCheck,
  ScriptCheck,
  ToolCalledCheck,
} from './criterion-checks.ts'

/** Names of schemas of checks that judge in place of a model. */
export const checkSchemas = {
  CharactersCheck,
  ContainsCheck,
  CriterionCheck,
  CriterionChecks,
  CriterionKind,
  JsonCheck,
  JsonSchemaCheck,
  LengthCheck,
  NoToolCallCheck,
  RegexCheck,
  ScriptCheck,
  ToolCalledCheck,
}
