/** Passwords in URLs, by the scheme of the URL. */
export type UrlKind = 'amqp_url' | 'mongodb_url' | 'mysql_url' | 'postgres_url' | 'redis_url' | 'url_password'

/** Values that are recognized by the name to which they are assigned. */
export type AssignedKind =
  | 'authorization'
  | 'aws_secret_key'
  | 'azure_sas'
  | 'azure_storage_key'
  | 'cloudflare_token'
  | 'heroku_key'
  | 'password'
  | 'secret'
  | 'twilio_key'
