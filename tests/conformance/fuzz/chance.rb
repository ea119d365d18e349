# frozen_string_literal: true

module Conformance
  module Fuzz
    # Every random decision of one environment; the same seed gives the same decisions.
    class Chance
      def initialize(seed)
        @random = Random.new(seed)
      end

      # True once in `count` times.
      def one_in(count)
        @random.rand(count).zero?
      end

      def of(list)
        list[@random.rand(list.size)]
      end

      # `count` different items, in the list's order or in any order.
      def some(list, count)
        list.shuffle(random: @random).first(count)
      end

      def times(range)
        Array.new(@random.rand(range)) { |index| yield index }
      end

      def number(range)
        @random.rand(range)
      end

      # One of the names of a hash `{name => weight}`.
      def weighted(weights)
        left = @random.rand(weights.values.sum)
        weights.each { |name, weight| return name if (left -= weight).negative? }
      end
    end
  end
end
