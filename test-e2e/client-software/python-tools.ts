/** Packages of PyPI for the stage `clients`: a generator, a checker, and the SDKs whose types are compared. */
export const pythonTools: readonly string[] = [
  'openapi-python-client==0.29.1',
  'schemathesis==4.32.5',
  'anthropic==2.14.0',
  'openai==3.57.0',
  'google-genai==3.6.1',
  'openresponses-types==2.4.0',
]
