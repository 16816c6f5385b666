# frozen_string_literal: true

# Makes the certificates of the hostile server in a folder: `ruby certificates.rb FOLDER`. For each name a file NAME.pem
# with a key and a certificate; authority.pem is what clients trust.
require "openssl"

DAY = 86_400
FOLDER = ARGV.fetch(0)

def certificate(name, from:, to:, hosts:, issuer: nil, authority: false)
  key = OpenSSL::PKey::EC.generate("prime256v1")
  made = OpenSSL::X509::Certificate.new
  made.version = 2
  made.serial = rand(1..1_000_000_000)
  made.subject = OpenSSL::X509::Name.new([["CN", "hostile #{name}"]])
  made.issuer = issuer ? issuer[0].subject : made.subject
  made.not_before = Time.now + (from * DAY)
  made.not_after = Time.now + (to * DAY)
  made.public_key = key
  extensions = OpenSSL::X509::ExtensionFactory.new(issuer ? issuer[0] : made, made)
  made.add_extension(extensions.create_extension("basicConstraints", authority ? "CA:TRUE" : "CA:FALSE", true))
  made.add_extension(extensions.create_extension("subjectAltName", hosts)) if hosts
  made.sign(issuer ? issuer[1] : key, "SHA256")
  [made, key]
end

def write(name, parts)
  File.write(File.join(FOLDER, "#{name}.pem"), parts.reverse.map(&:to_pem).join)
end

here = "IP:127.0.0.1,DNS:localhost"
authority = certificate("authority", from: -10, to: 1000, hosts: nil, authority: true)
stranger = certificate("stranger", from: -10, to: 1000, hosts: nil, authority: true)
File.write(File.join(FOLDER, "authority.pem"), authority[0].to_pem)
write("good", certificate("good", from: -1, to: 100, hosts: here, issuer: authority))
write("expired", certificate("expired", from: -9, to: -1, hosts: here, issuer: authority))
write("not_yet_valid", certificate("not_yet_valid", from: 5, to: 100, hosts: here, issuer: authority))
write("other_host", certificate("other_host", from: -1, to: 100, hosts: "DNS:elsewhere.test", issuer: authority))
write("unknown_authority", certificate("unknown_authority", from: -1, to: 100, hosts: here, issuer: stranger))
write("self_signed", certificate("self_signed", from: -1, to: 100, hosts: here))
