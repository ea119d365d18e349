# frozen_string_literal: true

require 'openssl'
require 'tmpdir'
require 'hiera/backend/eyaml'
require 'hiera/backend/eyaml/encryptor'
require 'hiera/backend/eyaml/utils'
require 'hiera/backend/eyaml/options'
require 'hiera/backend/eyaml/parser/parser'
require 'hiera/backend/eyaml/encryptors/pkcs7'

module Conformance
  # Key pairs for one run, and encryption with them by hiera-eyaml.
  class EyamlKeys
    Pkcs7 = Hiera::Backend::Eyaml::Encryptors::Pkcs7
    Options = Hiera::Backend::Eyaml::Options

    attr_reader :folder

    def initialize
      @folder = Dir.mktmpdir('eyaml-keys')
      owner = Process.pid
      at_exit { FileUtils.rm_rf(@folder) if Process.pid == owner }
      Hiera::Backend::Eyaml.verbosity_level = 0
      %w[one other].each { |name| create(name, 2048) }
      create('big', 4096)
      create_with_openssl('named')
      create_with_openssl('eight', &:private_to_pem)
      ENV['HIERA_LS_TEST_PRIVATE'] = File.read(path('one_private.pem'))
      ENV['HIERA_LS_TEST_PUBLIC'] = File.read(path('one_public.pem'))
    end

    def path(name)
      File.join(@folder, name)
    end

    # `ENC[PKCS7,…]` by hiera-eyaml.
    def blob(name, plain)
      "ENC[PKCS7,#{encode(message(name, plain))}]"
    end

    # The text that hiera-eyaml decrypts.
    def plain_text(name, value)
      use(name)
      Hiera::Backend::Eyaml::Parser::ParserFactory.hiera_backend_parser.parse(value).map(&:to_plain_text).join
    end

    # `{{NAME|text}}` encrypted, KEYS replaced by the folder; a file of one line `PEM:NAME` holds that key.
    def filled_in(text)
      return File.read(path(text[4..].chomp)) if text.match?(/\APEM:\S+\n\z/)

      text.gsub(/\{\{(\w+)(?::(\w+))?\|(.*?)\}\}(?!\})/) { written(Regexp.last_match(1), Regexp.last_match(2), Regexp.last_match(3)) }
          .gsub('KEYS/', "#{@folder}/")
    end

    private

    def written(name, form, text)
      text = text.gsub('\n', "\n").gsub('\r', "\r")
      text *= 5120 if form == '5120'
      text = [text].pack('H*') if form == 'bytes'
      message = message(name, text)
      case form
      when nil, '5120', 'bytes' then "ENC[PKCS7,#{encode(message)}]"
      when '2' then "ENC[PKCS7,#{encode(message)}]".scan(/.{1,60}/).join("\n  ")
      when 'bare' then encode(message)
      when 'spaced' then encode(message).scan(/.{1,17}/).join(' ')
      when 'truncated' then "ENC[PKCS7,#{encode(message[0, 200])}]"
      when 'shorter' then "ENC[PKCS7,#{encode(message[0...-1])}]"
      when 'longer' then "ENC[PKCS7,#{encode("#{message}more")}]"
      when 'damaged' then "ENC[PKCS7,#{encode(message[0...-1] + (message[-1].ord ^ 1).chr)}]"
      else raise "no such form: #{form}"
      end
    end

    def message(name, plain)
      use(name)
      Pkcs7.encrypt(plain)
    end

    def encode(bytes)
      Pkcs7.encode(bytes)
    end

    def use(name)
      Options.set('pkcs7_private_key' => path("#{name}_private.pem"), 'pkcs7_public_key' => path("#{name}_public.pem"))
    end

    def create(name, bits)
      Options.set('pkcs7_private_key' => path("#{name}_private.pem"), 'pkcs7_public_key' => path("#{name}_public.pem"),
                  'pkcs7_subject' => '/', 'pkcs7_keysize' => bits, 'pkcs7_digest' => 'SHA256')
      Pkcs7.create_keys
    end

    # A key pair as people create it without eyaml: a certificate with names and a long serial number.
    def create_with_openssl(name)
      key = OpenSSL::PKey::RSA.new(2048)
      certificate = OpenSSL::X509::Certificate.new
      certificate.version = 2
      certificate.serial = OpenSSL::BN.rand(159)
      certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse("/C=NO/O=Kittiwake/CN=#{name}")
      certificate.not_before = Time.now
      certificate.not_after = Time.now + 3600
      certificate.public_key = key.public_key
      certificate.sign(key, OpenSSL::Digest.new('SHA256'))
      File.write(path("#{name}_private.pem"), block_given? ? yield(key) : key.to_pem)
      File.write(path("#{name}_public.pem"), certificate.to_pem)
    end
  end
end
